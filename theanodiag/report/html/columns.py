"""The timeline as columns of numbers, from which the page's script draws it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd

from ...confirmation.model import PEAK, RESERVED
from ...escaping import visible
from ...ir.shape import shape_text
from ...memory.settings import AllocatorKind
from ...memory.timeline import Timeline, TimelineSpan
from ...ops.arrays import ItemKind, Tag
from ..confirmed import Confirmation

KINDS = tuple(k for k in ItemKind if k not in (ItemKind.ROUNDING, ItemKind.FRAGMENTATION, ItemKind.CONTEXT))
"""The kinds of memory, in the order in which they are stacked in the chart."""
LONGEST = 160
"""Maximum length of a name, in characters."""
HIGHEST = 1 << 62
"""Maximum number of bytes that can be drawn; only invalid shapes lead to larger values."""
CURVE_POINTS = 1500
Columns = dict[str, object]


def columns(timeline: Timeline, limit: int | None, confirmation: Confirmation | None, after: Mapping[str, Timeline]) -> Columns:
    """The data of the chart; `after` maps the name of each piece of advice to the timeline after it."""
    tags: dict[tuple[object, ...], int] = {}
    rows = timeline.allocations
    lowest = min((b.address for b in timeline.blocks), default=0)
    numbers = [tags.setdefault(_tag(a.tag), len(tags)) for a in rows]
    unit = max(1, gcd(*(n for a in rows for n in (a.held, a.address - lowest))))
    steps: dict[tuple[int, ...], int] = {}
    spans = [[*_span(timeline, s), steps.setdefault(_steps(s), len(steps))] for s in timeline.spans]
    return {
        "end": timeline.end,
        "peak": timeline.peak_clock,
        "kinds": [k.value for k in KINDS],
        "pooled": timeline.allocator is AllocatorKind.XLA,
        "limit": None if limit is None else _cut(limit),
        "tags": [list(t) for t in tags],
        "unit": unit,
        "address": [_cut(a.address - lowest) // unit for a in rows],
        "held": [_cut(a.held) // unit for a in rows],
        "rounding": [_cut(a.held - a.requested) for a in rows],
        "born": [a.born - before for a, before in zip(rows, (0, *(a.born for a in rows)))],
        "lasts": [0 if a.died is None else a.died - a.born for a in rows],
        "tag": numbers,
        "span": [a.span for a in rows],
        "blocks": [[_cut(b.address - lowest), _cut(b.size), b.taken, b.returned or 0] for b in timeline.blocks],
        "spans": spans,
        "steps": list(map(list, steps)),
        "ops": {f.index: [_short(n.op.text) for n in f.graph.applies] for f in timeline.script.functions},
        "measured": list(_measured(timeline, confirmation)) if confirmation is not None else [],
        "after": [{"title": title, "points": curve(other, timeline)} for title, other in after.items()],
    }


def _tag(tag: Tag) -> tuple[object, ...]:
    site = (visible(f"{tag.site.path}:{tag.site.line}"), _short(tag.site.code or "")) if tag.site else ("", "")
    return KINDS.index(tag.kind), _short(tag.variable), _short(tag.op or ""), _short(tag.dtype or ""), shape_text(tag.shape), *site


def _span(timeline: Timeline, span: TimelineSpan) -> list[object]:
    function = -1 if span.function is None else span.function
    return [_short(timeline.title(span)), span.start, span.end, function, -1 if span.call is None else span.call]


def _steps(span: TimelineSpan) -> tuple[int, ...]:
    """Clock (from the beginning of the event) and node of each step; calls of the same shapes have the same ones."""
    return tuple(n for step in span.steps for n in (step.clock - span.start, -1 if step.node is None else step.node))


def _measured(timeline: Timeline, confirmation: Confirmation) -> list[list[int | None]]:
    """Position of a call among the spans, and the live peak and reserved bytes that were measured in it."""
    calls = {(f.index, k): {v.name: v.measured for v in row} for f in confirmation.functions for k, row in enumerate(f.calls)}
    measured: list[list[int | None]] = []
    for position, span in enumerate(timeline.spans):
        row = calls.get((span.function, span.call)) if span.function is not None and span.call is not None else None
        if row:
            values = [row.get(PEAK), row.get(RESERVED)]
            measured.append([position, *(v if isinstance(v, int) else None for v in values)])
    return measured


def curve(other: Timeline, beside: Timeline) -> list[list[float]]:
    """Clock (of `beside`), live bytes and reserved bytes of another timeline; its events are aligned with the same events of `beside`."""
    pairs = zip(other.spans, beside.spans) if len(other.spans) == len(beside.spans) else [(_whole(other), _whole(beside))]
    points: list[list[float]] = []
    for theirs, ours in pairs:
        clocks = range(theirs.start, theirs.end + 1)
        scale = (ours.end - ours.start) / max(1, theirs.end - theirs.start)
        most = max(8, CURVE_POINTS * len(clocks) // (other.end + 1))
        for bucket in buckets(clocks, most):
            top = max(bucket, key=lambda c: other.live[c])
            points.append([round(ours.start + (top - theirs.start) * scale, 2), _cut(other.live[top]), _cut(other.reserved[top])])
    return points


def _whole(timeline: Timeline) -> TimelineSpan:
    return TimelineSpan(timeline.spans[0].event, 0, timeline.end)


def buckets(clocks: Sequence[int], most: int) -> list[Sequence[int]]:
    """Splits `clocks`, in order, into at most `most` pieces of nearly equal length."""
    n = min(most, len(clocks))
    return [clocks[k * len(clocks) // n : (k + 1) * len(clocks) // n] for k in range(n)]


def _short(text: str) -> str:
    text = visible(text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _cut(n: int) -> int:
    return min(n, HIGHEST)
