"""TD214: a flag without a value

What it finds
    A word between commas of the flags variable that has no `=`.

Why it matters
    It is ignored, with a warning.

Example
    `THEANO_FLAGS=floatX=float32,profile`.

What to do
    Give it a value: `profile=True`.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding a word."""
    for w in s.written:
        if w.value is None:
            yield finding("TD214", Severity.WARNING, w, f"{w.key} has no value: it is ignored", fix(f"write {w.key}=True, or take it out"))


RULE = Rule(
    "TD214",
    "no-value",
    check,
    __doc__,
    fires=lambda: config(flags="floatX=float32,profile"),
    silent=lambda: config(flags="floatX=float32,profile=True"),
)
