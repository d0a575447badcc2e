"""Reserved against live over the steps of a call, in text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..memory.profile import MemoryProfile, Step, most_scattered, worst_gap
from ..units import format_bytes

WIDTH = 56
"""Columns of the timeline; it fits into 80 with its labels."""
NEARLY_NOTHING = 0.005
"""A fragmentation that would be printed as 0.00."""
LEVELS = " ▁▂▃▄▅▆▇█"


def line(profile: MemoryProfile) -> str | None:
    """The worst gap and the worst fragmentation; None where nothing is ever reserved without being live."""
    kept = [step for step in profile.timeline if step.reserved_bytes > step.live_bytes]
    gap, scattered = worst_gap(kept), most_scattered(profile.timeline if kept else ())
    if gap is None or scattered is None:
        return None
    text = f"reserved but not live: up to {format_bytes(gap.reserved_bytes - gap.live_bytes)} (step {gap.step})"
    if scattered.fragmentation < NEARLY_NOTHING:
        return f"{text}, {'nearly all ' if scattered.scattered_bytes else ''}in one piece"
    free, largest = format_bytes(scattered.free_bytes), format_bytes(scattered.largest_free_bytes)
    return f"{text}; fragmentation {scattered.fragmentation:.2f} at step {scattered.step}: {free} free, the largest piece {largest}"


def timeline(profile: MemoryProfile, width: int = WIDTH) -> Iterator[str]:
    """Three rows over the steps: reserved, live, and the share of the free bytes outside of the largest piece."""
    steps = profile.timeline
    # What is live is the highest point during a step, what is reserved is that of its end: on the host memory is given back at once.
    top = max((max(s.reserved_bytes, s.live_bytes) for s in steps), default=0)
    if not top:
        return
    groups = list(_groups(steps, width))
    rows = (
        ("reserved", [max(s.reserved_bytes for s in g) / top for g in groups], format_bytes(top)),
        ("live", [max(s.live_bytes for s in g) / top for g in groups], format_bytes(max(s.live_bytes for s in steps))),
        ("scattered", [max(s.fragmentation for s in g) for g in groups], f"{max(s.fragmentation for s in steps):.0%}"),
    )
    for name, shares, most in rows:
        yield f"{name:9} {''.join(map(_bar, shares))} {most}"


def _groups(steps: Sequence[Step], width: int) -> Iterator[Sequence[Step]]:
    """The steps in at most `width` runs."""
    count = min(width, len(steps))
    edges = [k * len(steps) // count for k in range(count + 1)]
    return (steps[a:b] for a, b in zip(edges, edges[1:]))


def _bar(share: float) -> str:
    """A bar of that height; the lowest one for anything above nothing."""
    level = round(share * (len(LEVELS) - 1))
    return LEVELS[max(level, 1) if share > 0 else 0]
