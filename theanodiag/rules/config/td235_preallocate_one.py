"""TD235: gpuarray.preallocate=1 is 95 %, not 1 MB

What it finds
    `gpuarray.preallocate` of exactly 1.

Why it matters
    Up to 1 the number is a fraction, cut to 0.95: nearly the whole card is taken at the start, which fails if anyone else uses it.

Example
    `[gpuarray]` with `preallocate = 1`.

What to do
    Write 0.9 for most of the card, or a number of MB above 1, such as 512.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    if s.number("gpuarray.preallocate") == 1:
        message = "1 means 95 % of the GPU's memory, not 1 MB"
        advice = fix("write 0.9, or MB above 1", code="gpuarray.preallocate=0.9")
        yield about("TD235", Severity.WARNING, s, "gpuarray.preallocate", message, advice)


RULE = Rule(
    "TD235",
    "preallocate-one",
    check,
    __doc__,
    fires=lambda: config(flags="gpuarray.preallocate=1"),
    silent=lambda: config(flags="gpuarray.preallocate=0.8"),
)
