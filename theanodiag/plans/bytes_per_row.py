"""Splits a live peak into fixed bytes and bytes for each row of the batch."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..ir import Role, Shape, Unknown
from ..memory.profile import ItemKind, MemoryProfile
from ..memory.script import Call, CompiledFunction
from .batch import BatchPlan

FIXED = (ItemKind.SHARED, ItemKind.CONSTANT)
"""Kinds of memory that do not grow with the batch."""


@dataclass(frozen=True)
class BytesPerRow:
    """A live peak as a linear function of the batch."""

    batch: int
    """Rows in the batch now."""
    fixed_bytes: int
    """Bytes that do not depend on the batch."""
    row_bytes: int
    """Bytes for each row."""
    simulated: bool
    """True if the slope is that between simulated batches; False if it counts the arrays at the peak with one entry for each row."""

    @property
    def grown_bytes(self) -> int:
        """Bytes of all rows."""
        return self.batch * self.row_bytes

    def fitting(self, available: int) -> int:
        """Approximate number of rows for which the live bytes fit into `available` bytes."""
        return max(0, available - self.fixed_bytes) // self.row_bytes


def of_plan(plan: BatchPlan) -> BytesPerRow | None:
    """The line through the smallest and the largest simulated batch; None where it does not rise."""
    rows = [r for r in plan.rows if r.batch <= max(plan.batch, plan.largest or 0)]
    if len(rows) < 2 or rows[-1].live <= rows[0].live:
        return None
    each = round((rows[-1].live - rows[0].live) / (rows[-1].batch - rows[0].batch))
    return BytesPerRow(plan.batch, max(0, rows[-1].live - each * rows[-1].batch), each, True) if each else None


def at_peak(function: CompiledFunction, call: Call, profile: MemoryProfile) -> BytesPerRow | None:
    """The line from the arrays at the peak whose first dimension is the batch; None where the batch is not known."""
    moving = [v for v in profile.at_peak if v.kind not in FIXED]
    batch = _batch(function, call, Counter({n: sum(v.nbytes for v in moving if _leading(v.shape) == n) for n in _leads(profile)}))
    if batch is None:
        return None
    grown = sum(v.nbytes for v in moving if _leading(v.shape) == batch)
    row = grown // batch
    return BytesPerRow(batch, profile.figures.live_peak_bytes - grown, row, False) if row else None


def _batch(function: CompiledFunction, call: Call, weight: Counter[int]) -> int | None:
    """The number of rows: the first dimension of arguments (else of no shared variable) that has most bytes at the peak."""
    graph = function.graph
    lengths: dict[bool, set[int]] = {True: set(), False: set()}
    for entry in graph.inputs:
        shape = call.shapes.shape(entry.variable)
        if not isinstance(shape, Unknown):
            shared = entry.role is Role.SHARED
            lengths[shared].update(n for n in (shape if shared else shape[:1]) if isinstance(n, int))
    known = [n for n in weight if n > 1 and n in lengths[False]] or [n for n in weight if n > 1 and n not in lengths[True]]
    return max(known, key=lambda n: weight[n], default=None)


def _leads(profile: MemoryProfile) -> set[int]:
    return {n for v in profile.at_peak if v.kind not in FIXED and (n := _leading(v.shape)) is not None}


def _leading(shape: Shape | Unknown) -> int | None:
    return shape[0] if not isinstance(shape, Unknown) and shape and isinstance(shape[0], int) else None
