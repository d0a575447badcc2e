"""Finds the largest length that fits a device: bytes grow with a length almost in proportion, so few lengths have to be tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..memory.profile import ProcessProfile
from ..memory.settings import AllocatorKind, MemorySettings


def need(settings: MemorySettings, process: ProcessProfile) -> int:
    """The peak in bytes that decides whether a script fits: reserved bytes where the allocator has a cache, else live bytes."""
    return process.deciding_bytes(settings.allocator is AllocatorKind.DIRECT)


MISSES = 2
"""Maximum number of proposed lengths that do not halve the remaining range; then the middle is tried."""


def boundary(low: int, high: int, fits: Callable[[int], bool], needs: Mapping[int, int], limit: int | None) -> int:
    """The largest length that fits, from `low`, which fits or is 0, to below `high`, which does not fit.

    The next length to try is where the line through two needs meets the limit: those of the last two lengths that fit, or that do not, else
    of both ends. If a line does not halve the remaining range, or the needs do not show what fits, it is the middle, and 1
    while none is known to fit.

    Args:
        low: A length that fits, or 0.
        high: A longer one that does not.
        fits: Whether a length fits; it may add to `needs`.
        needs: Length -> bytes needed, for the lengths tried so far (if known) and for length 0.
        limit: The available bytes; None if they are not known.
    """
    wide, missed, flat, consistent = high - low, 0, 0, limit is not None
    first, last, fitted = low, high, False
    while high - low > 1:
        met = _crossing(needs, first, last, limit or 0) if consistent and missed < MISSES else None
        middle = min(max(met, low + 1), high - 1) if met is not None else (low + high) // 2 if low else 1
        fit = fits(middle)
        consistent = consistent and limit is not None and middle in needs and fit == (needs[middle] <= limit)
        flat += middle in needs and needs[middle] == needs.get(low if fit else high)
        consistent = consistent and flat < MISSES
        before, (low, high) = (low if fit else high), ((middle, high) if fit else (low, middle))
        first, last = (before, middle) if fit == fitted else (low, high)
        fitted = fit
        missed += 1
        if 2 * (high - low) <= wide:
            wide, missed = high - low, 0
    return low


def _crossing(needs: Mapping[int, int], first: int, last: int, limit: int) -> int | None:
    """The length at which the line through the needs of two lengths meets the limit. None if a need is unknown, both are equal, or the last
    one is not at least twice as near to the limit as the first.
    """
    if first not in needs or last not in needs or needs[first] == needs[last]:
        return None
    before, excess = needs[first] - limit, needs[last] - limit
    if before * excess > 0 and 2 * abs(excess) > abs(before):
        return None
    return last + -excess * (last - first) // (needs[last] - needs[first])
