"""TD251: intermediate results are kept

What it finds
    `allow_gc=False`.

Why it matters
    Every intermediate array of a function stays allocated between calls: faster by a little, but the memory of all functions adds up.

Example
    `[global]` with `allow_gc = False`.

What to do
    `allow_gc = True`, the default. With a preallocated cache the time that it costs is small.

Limits
    `theanodiag check` tells how many bytes it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    if s.text("allow_gc") in ("False", "false", "0"):
        message = "allow_gc=False keeps every intermediate array between calls"
        yield about("TD251", Severity.WARNING, s, "allow_gc", message, fix("write allow_gc=True", code="allow_gc=True"))


RULE = Rule(
    "TD251",
    "gc-off",
    check,
    __doc__,
    fires=lambda: config("[global]\nallow_gc = False\n"),
    silent=lambda: config("[global]\nallow_gc = True\n"),
)
