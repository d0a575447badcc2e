"""TD236: gpuarray.preallocate looks like per cent

What it finds
    `gpuarray.preallocate` above 1 and up to 100.

Why it matters
    Above 1 the number is MB: `preallocate = 90` reserves 90 MB, not 90 %.

Example
    `[gpuarray]` with `preallocate = 90`.

What to do
    Write a fraction: `0.9`.

Limits
    So few MB may be meant, but hardly help.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    share = s.number("gpuarray.preallocate")
    if share is not None and 1 < share <= 100:
        code = f"gpuarray.preallocate={min(share / 100, 0.95):g}"
        message = f"{share:g} means {share:g} MB, not {share:g} %"
        yield about("TD236", Severity.WARNING, s, "gpuarray.preallocate", message, fix(f"write {code}", code=code))


RULE = Rule(
    "TD236",
    "preallocate-percent",
    check,
    __doc__,
    fires=lambda: config(flags="gpuarray.preallocate=90"),
    silent=lambda: config(flags="gpuarray.preallocate=900"),
)
