"""Finds by trial how much memory a script needs on a device: it should run at the predicted need and fail just below."""

from __future__ import annotations

from collections.abc import Callable

from ..ir import Unknown
from ..units import MIB
from .model import Tight

STEPS = (0, 4 * MIB, 16 * MIB, 64 * MIB)
"""Distances from the predicted need that are tried, in bytes: upwards while it does not run, downwards while it does not fail. libgpuarray
allocates at least 4 MiB.
"""

Attempt = Callable[[int], bool]
"""Runs the script with this limit in bytes; returns whether it ran to its end."""


def tight(predicted: int, attempt: Attempt) -> Tight:
    """Finds the lowest limit at which the script runs and the highest at which it fails, among the limits that are tried."""
    if not predicted:
        return Tight(0, 0, Unknown("it needs nothing"))
    runs: int | Unknown = Unknown(f"it did not run with {STEPS[-1]} bytes more than predicted either")
    fails: int | Unknown = Unknown(f"it ran with {STEPS[-1] + 1} bytes less than predicted too")
    for step in STEPS:
        if attempt(predicted + step):
            runs = predicted + step
            break
        fails = predicted + step
    if runs != predicted:
        return Tight(predicted, runs, fails)
    for step in STEPS:
        limit = predicted - 1 - step
        if limit <= 0:
            break
        if not attempt(limit):
            return Tight(predicted, runs, limit)
        runs = limit
    return Tight(predicted, runs, fails)
