"""A placeholder for values that cannot be known: shapes, sizes, figures and flags."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Unknown:
    """A value that cannot be known, with the reason. It is used instead of 0, -1 or NaN."""

    reason: str
    """Why the value is unknown, for the reader of a report."""
