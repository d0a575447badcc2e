"""What stands for a value that cannot be known: of a shape, a size, a figure or a flag."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Unknown:
    """A value that cannot be known, with the reason. It is used instead of 0, -1 or NaN."""

    reason: str
    """For the reader of a report."""
