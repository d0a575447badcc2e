"""TD253: optimizations that save memory are excluded

What it finds
    `optimizer_excluding` with `low_memory`, `more_mem`, `inplace` or `fusion`.

Why it matters
    Excluding `low_memory` turns the order off that keeps few arrays alive; without `inplace` and `fusion` every step makes a new array.

Example
    `optimizer_excluding = low_memory`, copied from advice for speed.

What to do
    Take the name out of the list.

Limits
    Excluding `more_mem` saves memory and is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config

SAVING = ("low_memory", "inplace", "fusion", "inplace_opt")


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    found = [tag for tag in (s.text("optimizer_excluding") or "").strip("'\"").split(":") if tag.strip() in SAVING]
    if found:
        message = f"{' and '.join(found)} would save memory"
        yield about("TD253", Severity.WARNING, s, "optimizer_excluding", message, fix(f"take {' and '.join(found)} out of the list"))


RULE = Rule(
    "TD253",
    "low-memory-off",
    check,
    __doc__,
    fires=lambda: config(flags="optimizer_excluding=low_memory"),
    silent=lambda: config(flags="optimizer_excluding=more_mem"),
)
