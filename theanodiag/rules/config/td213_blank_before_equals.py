"""TD213: a blank round the `=` of a flag

What it finds
    `name = value` in the flags variable: the blank becomes a part of the name or of the value.

Why it matters
    The flag `"floatX "` is unknown and lost with a warning; a value `" float32"` is refused.

Example
    `THEANO_FLAGS="floatX = float32"`.

What to do
    Write `floatX=float32`. Blanks after a comma do no harm.

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
    for w in s.written:
        if w.section is None and w.value is not None and (w.key != w.key.strip() or w.value != w.value.strip()):
            right = f"{w.key.strip()}={w.value.strip()}"
            message = f"the blanks round the = belong to the {'name' if w.key != w.key.strip() else 'value'}: the flag is lost or refused"
            yield finding("TD213", Severity.ERROR, w, message, fix(f"write {right}", replace_span(w.span, right)))


RULE = Rule(
    "TD213",
    "blank-before-equals",
    check,
    __doc__,
    fires=lambda: config(flags="floatX = float32"),
    silent=lambda: config(flags="floatX=float32, device=cpu"),
)
