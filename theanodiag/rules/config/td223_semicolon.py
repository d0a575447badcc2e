"""TD223: a semicolon between flags

What it finds
    `;` in the flags variable where a comma was meant.

Why it matters
    All that follows becomes a part of the value before it, which the library refuses.

Example
    `THEANO_FLAGS="floatX=float32;device=cuda"`.

What to do
    Separate flags by commas.

Limits
    `contexts` separates its devices by semicolons.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix, replace_span
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.written:
        if w.section is None and w.key != "contexts" and w.value and ";" in w.value and "=" in w.value.partition(";")[2]:
            right = w.span.text[w.span.start : w.span.end].replace(";", ",")
            message = "flags are separated by commas: what follows the ; is a part of this value"
            yield finding("TD223", Severity.ERROR, w, message, fix(f"write {right}", replace_span(w.span, right)))


RULE = Rule(
    "TD223",
    "semicolon",
    check,
    __doc__,
    fires=lambda: config(flags="floatX=float32;device=cpu"),
    silent=lambda: config(flags="floatX=float32,contexts=a->cuda0;b->cuda1"),
)
