"""The timeline as a picture without a script: live memory by kind after each allocation or free, what is reserved, the device's limit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...memory.timeline import Timeline
from ...units import format_bytes
from .columns import KINDS, buckets, curve

WIDTH, HEIGHT = 960, 300
LEFT, RIGHT, TOP, BOTTOM = 74, 12, 14, 34
"""Margins."""
POINTS = 480
"""Columns of the picture; in each the highest moment is drawn."""
NEAR = 1.35
"""A limit is drawn where it is at most so many times what is needed; else it would flatten all the rest."""


@dataclass(frozen=True)
class Chart:
    """Coordinates of the picture's parts, as SVG takes them."""

    areas: tuple[tuple[str, str], ...]
    """Kind and path, from the bottom up."""
    reserved: str
    limit: float | None
    """Height of the device's limit; None where it is far above."""
    after: tuple[str, ...]
    """Live and reserved bytes once the best advice is followed; empty where there is none."""
    ticks: tuple[tuple[float, str], ...]
    """Height and label."""
    calls: tuple[tuple[float, str], ...]
    """Where calls begin, and what they are called; empty where there is no room for it."""
    peak: tuple[float, float]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def chart(timeline: Timeline, limit: int | None, after: Mapping[str, Timeline]) -> Chart:
    """The picture of a timeline; `after`: others beside it, of which the first is drawn."""
    clocks = [max(bucket, key=timeline.live.__getitem__) for bucket in buckets(range(timeline.end + 1), POINTS)]
    other = next(iter(after.values()), None)
    drawn = curve(other, timeline) if other is not None else []
    highest = max([timeline.live_peak_bytes, timeline.reserved_peak_bytes, 1, *(int(n) for row in drawn for n in row[1:])])
    close = limit is not None and limit <= NEAR * highest
    step = _step(max(highest, limit or 0) if close else highest)
    top = step * math.ceil((max(highest, limit or 0) if close else highest) * 1.02 / step)

    def x(clock: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * clock / max(1, timeline.end), 1)

    def y(n: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * n / top, 1)

    sums = [(0,) * len(KINDS), *by_kind(timeline, clocks)][1:]
    edges = [[sum(row[: k + 1]) for row in sums] for k in range(len(KINDS))]
    areas = []
    below: Sequence[int] = [0] * len(clocks)
    for kind, edge in zip(KINDS, edges):
        if any(a != b for a, b in zip(edge, below)):
            there = _stairs([(x(c), y(n)) for c, n in zip(clocks, edge)], x(timeline.end))
            back = _stairs([(x(c), y(n)) for c, n in zip(clocks, below)], x(timeline.end))
            areas.append((kind.value, "M" + "L".join(there) + "L" + "L".join(reversed(back)) + "Z"))
        below = edge
    reserved = "M" + "L".join(_stairs([(x(c), y(timeline.reserved[c])) for c in clocks], x(timeline.end)))
    lines = tuple("M" + "L".join(f"{x(row[0])},{y(row[k])}" for row in drawn) for k in (1, 2)) if drawn else ()
    ticks = tuple((y(n), format_bytes(n)) for n in range(0, top + 1, step))
    peak = x(timeline.peak_clock), y(timeline.live_peak_bytes)
    return Chart(tuple(areas), reserved, y(limit) if close and limit is not None else None, lines, ticks, tuple(_calls(timeline, x)), peak)


def by_kind(timeline: Timeline, clocks: Sequence[int]) -> list[tuple[int, ...]]:
    """Live bytes by kind at each of these clocks, which rise."""
    changes: list[list[tuple[int, int]]] = [[] for _ in range(timeline.end + 1)]
    for a in timeline.allocations:
        kind = KINDS.index(a.tag.kind)
        changes[a.born].append((kind, a.held))
        if a.died is not None:
            changes[a.died].append((kind, -a.held))
    live, at, found = [0] * len(KINDS), 0, []
    for clock in clocks:
        for k in range(at, clock + 1):
            for kind, size in changes[k]:
                live[kind] += size
        at = clock + 1
        found.append(tuple(live))
    return found


def _stairs(points: Sequence[tuple[float, float]], end: float) -> list[str]:
    """Corners of a line that keeps its height from each point to the next, and after the last to the end."""
    found = []
    for (x, y), (following, _) in zip(points, [*points[1:], (end, 0.0)]):
        found += [f"{x},{y}", f"{following},{y}"]
    return found


def _step(highest: int) -> int:
    """The distance of four to eight lines: 1, 2 or 4 times a power of 1024 and ten, in bytes."""
    unit = 1 << (10 * max(0, (highest.bit_length() - 1) // 10))
    for factor in (1 / 1024 * 64, 1 / 1024 * 128, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        step = max(1, int(unit * factor))
        if highest / step <= 6:
            return step
    return max(1, highest // 4)


def _calls(timeline: Timeline, x: object) -> Iterator[tuple[float, str]]:
    """Calls whose names have room: those that take more than a tenth of the picture, or begin so far behind the last one."""
    assert callable(x)
    last = -math.inf
    for span in timeline.spans:
        if span.function is not None and x(span.start) - last > WIDTH / 7:
            last = x(span.start)
            yield last, timeline.title(span)
