"""TD212: a flag of the variable in the wrong case

What it finds
    A name in the flags variable that is a flag but for its case. In a file the case of options does not count; in the variable it does.

Why it matters
    The flag is lost, with only a warning.

Example
    `THEANO_FLAGS=floatx=float32`.

What to do
    Spell it as the library does: `floatX`.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix, replace_span
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    names = {flag.name.lower(): flag.name for flag in s.table.flags}
    for w in s.unknown():
        right = names.get(w.key.lower())
        if w.section is None and right:
            advice = fix(f"write {right}", replace_span(w.key_span, right))
            yield finding("TD212", Severity.WARNING, w, f"{w.key} is ignored: the flag is called {right}", advice)


RULE = Rule(
    "TD212",
    "wrong-case",
    check,
    __doc__,
    fires=lambda: config(flags="floatx=float32"),
    silent=lambda: config(flags="floatX=float32"),
)
