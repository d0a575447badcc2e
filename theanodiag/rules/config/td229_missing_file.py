"""TD229: an rc file that is not read

What it finds
    Paths in THEANORC, AESARARC or PYTENSORRC that cannot be opened.

Why it matters
    They are passed over in silence, so that none of their settings count.

Example
    `THEANORC=~/theanorc`, where the file is `~/.theanorc`.

What to do
    Correct the path. A file in the working folder is only read if it is named: `THEANORC=~/.theanorc:.theanorc`.

Limits
    The default files may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Confidence, Finding, Location, Severity
from ...flags.diagnose import ConfigSubject, Context, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding a path."""
    for path in s.context.missing_files:
        message = f"{path} cannot be opened: none of its settings count"
        where = Location(s.dialect.rc_variable, detail=path)
        yield Finding("TD229", Severity.WARNING, Confidence.DERIVED, message, where, fix("correct the path"))


RULE = Rule(
    "TD229",
    "missing-file",
    check,
    __doc__,
    fires=lambda: config(context=Context(missing_files=("/home/user/theanorc",))),
    silent=lambda: config("[global]\ndevice = cpu\n"),
)
