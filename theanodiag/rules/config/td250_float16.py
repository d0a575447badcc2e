"""TD250: floatX=float16 is experimental

What it finds
    floatX at float16.

Why it matters
    Many operations have no float16 code, compute in Python or lose precision; Theano calls it experimental.

Example
    `floatX = float16`.

What to do
    `floatX = float32`.

Limits
    float16 storage of single shared variables is another matter.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    if s.text("floatX") in ("float16", "16"):
        yield about("TD250", Severity.WARNING, s, "floatX", "float16 is experimental", fix("write floatX=float32", code="floatX=float32"))


RULE = Rule(
    "TD250",
    "float16",
    check,
    __doc__,
    fires=lambda: config(flags="floatX=float16"),
    silent=lambda: config(flags="floatX=float32"),
)
