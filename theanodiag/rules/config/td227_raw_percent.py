"""TD227: a % that cannot be interpolated

What it finds
    Values of an rc file with a `%(name)s` whose name is not known.

Why it matters
    The value is taken as it stands, with the percent signs: a folder of that very name.

Example
    `base_compiledir = /tmp/%(HOSTNAME)s`.

What to do
    Known names are USER, LSCRATCH, TMPDIR, TEMP, TMP, PID, the options of the section and those of `[DEFAULT]`.

Limits
    A bare `%` is harmless and not reported; compiledir_format has names of its own and is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.interpolation import names_in
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.written:
        if w.flag is None or w.section is None or not w.value or w.flag.name == "compiledir_format":
            continue
        name = next(names_in(w.value), None)
        if name is not None and s.interpolated(w) == w.value:
            message = f"%({name})s stands for nothing: the value stays as it is written"
            yield finding("TD227", Severity.WARNING, w, message, fix("use %(USER)s or %(TMPDIR)s, or write the path"))


RULE = Rule(
    "TD227",
    "raw-percent",
    check,
    __doc__,
    fires=lambda: config("[global]\nbase_compiledir = /tmp/%(HOSTNAME)s\n"),
    silent=lambda: config("[global]\nbase_compiledir = /tmp/%(USER)s\n"),
)
