"""TD210: a flag that no version has

What it finds
    Names that mean nothing to any version of the library, with the nearest one that does.

Why it matters
    An unknown option of a file is ignored in silence; an unknown flag of the variable only gives a warning.

Example
    `flaotX = float32`: everything stays in float64.

What to do
    Correct the name. `theanodiag config rewrite --unsafe` does it where there is one near neighbour.

Limits
    Options that other values use as `%(name)s` are left alone; so are those that another program may read.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, Written, finding, fix, replace_span
from ...flags.environment import is_variable
from ...flags.migrate_entry import suggestion, was_live
from ...flags.names import COMMENTED, homes, nearest_ever, rc_flag, same_words_elsewhere
from ...flags.rcgrammar import DEFAULT_SECTION
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.unknown():
        if w.value is None or was_live(w.name, w.section, w.key) or same_words_elsewhere(s.table, w.name) or is_variable(w.key):
            continue
        if w.section == DEFAULT_SECTION or s.used(w):
            continue
        if (w.section is not None and homes(s.table, w.name)) or w.name.startswith("nvcc."):  # TD211, TD244
            continue
        yield _finding(s, w)


def _finding(s: ConfigSubject, w: Written) -> Finding:
    near = suggestion(w.name, s.table)
    message = f"{s.library} has no flag {w.shown}: ignored{', with a warning' if s.warned(w) else ' in silence'}"
    old = nearest_ever(w.name) if near is None and not COMMENTED.search(w.name) else None
    if old:
        message = f"{message}; did you mean {old.dotted}, which this version does not have either?"
    if near is None:
        return finding("TD210", Severity.WARNING, w, message, fix("take it out, or correct the name"))
    here = w.section is None or rc_flag(s.table, w.section, near.option) is near
    edits = (replace_span(w.key_span, near.option if w.section is not None else near.name),) if here else ()
    return finding("TD210", Severity.WARNING, w, f"{message}; did you mean {near.name}?", fix(f"write {near.name}", *edits))


RULE = Rule(
    "TD210",
    "unknown-flag",
    check,
    __doc__,
    fires=lambda: config("[global]\nflaotX = float32\n"),
    silent=lambda: config("[global]\nfloatx = float32\n"),
)
