"""Finds by trial how much a device must have: runs at the predicted need, and fails just below it."""

from __future__ import annotations

from collections.abc import Callable

from ..ir import Unknown
from ..units import MIB
from .model import Tight

STEPS = (0, 4 * MIB, 16 * MIB, 64 * MIB)
"""How far from the need is tried, upwards where it does not run, downwards where it does not fail: libgpuarray takes 4 MiB at least."""

Attempt = Callable[[int], bool]
"""Whether the script runs with so many bytes."""


def tight(predicted: int, attempt: Attempt) -> Tight:
    """The least limit at which it ran, and the highest at which it failed, as far as was tried."""
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
