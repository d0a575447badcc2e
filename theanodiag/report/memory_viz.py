"""The simulation as a memory snapshot of PyTorch, for the viewer at pytorch.org/memory_viz.

A pickle of protocol 4 with nothing in it but dicts, lists, strings and whole numbers. The viewer wants: addresses that a double holds, free
pieces as blocks so that the blocks of a segment fill it, and one event at least whose category is `unknown`.
Source: PyTorch, torch/utils/viz/MemoryViz.js (`unpickle`, `annotate_snapshot`, `process_alloc_data`), torch/cuda/_memory_viz.py.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..escaping import visible
from ..ir.shape import shape_text
from ..memory.settings import AllocatorKind
from ..memory.timeline import Allocation, DriverBlock, Timeline
from .event_timeline import timeline_of, title
from .formats import View
from .model import Report

FIRST = 1 << 40
"""Address of the lowest block: the viewer stores addresses as doubles, which are exact below 2^53."""
Row = dict[str, object]
NO_FRAMES: list[Row] = []


def show(report: Report, view: View) -> bytes:
    """Returns the pickled snapshot of the report's timeline; `view` has no effect."""
    return pickle.dumps(snapshot(timeline_of(report), report.target.device.available_bytes), protocol=4)


def snapshot(timeline: Timeline, limit: int | None) -> Row:
    """Returns the snapshot as PyTorch's viewer reads it: the memory segments at the end of the script, and all events before; `limit` is
    the device's memory in bytes.
    """
    return _Snapshot(timeline, limit).whole()


class _Snapshot:
    def __init__(self, timeline: Timeline, limit: int | None) -> None:
        self.timeline = timeline
        self.limit = limit
        self.offset = FIRST - min((b.address for b in timeline.blocks), default=0)
        self.frames = [self._frames(a) for a in timeline.allocations]
        self.grows = timeline.allocator is AllocatorKind.XLA

    def whole(self) -> Row:
        return {"segments": list(self._segments()), "device_traces": [list(self._events())], "allocator_settings": {}}

    def _frames(self, a: Allocation) -> list[Row]:
        """The frames that the viewer shows for an allocation: its Variable at its source line, then the event of the script."""
        spans, tag = self.timeline.spans, a.tag
        what = f"{title(tag)}, {tag.dtype or ''} {shape_text(tag.shape)}, {tag.kind.value}"
        site = {"filename": visible(tag.site.path), "line": tag.site.line} if tag.site else {"filename": "", "line": 0}
        at = self.timeline.title(spans[a.span]) if a.span >= 0 else "the start of the back-end"
        return [{"name": visible(what), **site}, {"name": visible(at), "filename": "", "line": 0}]

    def _segments(self) -> Iterator[Row]:
        end = self.timeline.end
        rows = [(a, frames) for a, frames in zip(self.timeline.allocations, self.frames) if a.lives_at(end)]
        rows.sort(key=lambda row: row[0].address)
        for address, size in self.timeline.regions(end):
            inside = [row for row in rows if address <= row[0].address < address + size]
            held = sum(a.held for a, _ in inside)
            yield {
                "device": 0, "address": address + self.offset, "total_size": size, "allocated_size": held, "active_size": held,
                "requested_size": sum(a.requested for a, _ in inside), "stream": 0, "segment_type": "large", "segment_pool_id": [0, 0],
                "is_expandable": self.grows, "frames": [], "blocks": list(self._blocks(address, size, inside)),
            }  # fmt: skip

    def _blocks(self, address: int, size: int, inside: Sequence[tuple[Allocation, list[Row]]]) -> Iterator[Row]:
        """The allocations of a segment and the free pieces between them, which fill it."""
        edge = address
        for a, frames in inside:
            if a.address > edge:
                yield self._free(edge, a.address - edge)
            # The viewer draws what is requested; as in its events that is the size with the rounding, so that both add up alike.
            where = {"address": a.address + self.offset, "size": a.held, "requested_size": a.held}
            yield {**where, "state": "active_allocated", "frames": frames}
            edge = a.address + a.held
        if edge < address + size:
            yield self._free(edge, address + size - edge)

    def _free(self, address: int, size: int) -> Row:
        return {"address": address + self.offset, "size": size, "requested_size": 0, "state": "inactive", "frames": []}

    def _events(self) -> Iterator[Row]:
        """Yields the events in time order. A driver block appears before the allocations in it, and is freed after them."""
        taken: dict[int, list[DriverBlock]] = defaultdict(list)
        returned: dict[int, list[DriverBlock]] = defaultdict(list)
        for block in self.timeline.blocks:
            taken[block.taken].append(block)
            if block.returned is not None:
                returned[block.returned].append(block)
        born: dict[int, list[int]] = defaultdict(list)
        died: dict[int, list[int]] = defaultdict(list)
        for k, a in enumerate(self.timeline.allocations):
            born[a.born].append(k)
            if a.died is not None:
                died[a.died].append(k)
        full = False
        for clock in range(self.timeline.end + 1):
            for k in died[clock]:
                for action in ("free_requested", "free_completed"):
                    yield self._of(k, action, clock)
            for block in returned[clock]:
                yield self._segment(block, "segment_unmap" if self.grows else "segment_free", clock)
            for block in taken[clock]:
                if self.limit is not None and not full and self.timeline.reserved[clock] > self.limit:
                    full = True
                    before = self.timeline.reserved[clock - 1] if clock else 0
                    yield self._event("oom", block.address, block.size, clock) | {"device_free": max(0, self.limit - before)}
                yield self._segment(block, "segment_map" if self.grows else "segment_alloc", clock)
            for k in born[clock]:
                yield self._of(k, "alloc", clock)

    def _of(self, k: int, action: str, clock: int) -> Row:
        a = self.timeline.allocations[k]
        return self._event(action, a.address, a.held, clock, self.frames[k]) | {"category": a.tag.kind.value}

    def _segment(self, block: DriverBlock, action: str, clock: int) -> Row:
        return self._event(action, block.address, block.size, clock) | {"category": "unknown"}

    def _event(self, action: str, address: int, size: int, clock: int, frames: Sequence[Row] = NO_FRAMES) -> Row:
        where = {"action": action, "addr": address + self.offset, "size": size, "stream": 0, "time_us": clock}
        return {**where, "frames": frames}
