"""Memory effects of basic indexing, row selection and increments of parts.

Source: Theano 1.0.5, gpuarray/subtensor.py, tensor/subtensor.py (`IncSubtensor.c_code`); pygpu 0.7.6, gpuarray.pyx.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ir import itemsize
from ..storage import Array, c_strides, reshaped, size_of
from .base import Work
from .blas import copy_or_reuse


def subtensor(work: Work) -> None:
    """Subtensor: a view; each slice multiplies its stride by its step."""
    source, shape = work.input(0), work.shape(0)
    pattern = work.params.get("idx_list")
    if source is None or shape is None or not isinstance(pattern, (list, tuple)):
        work.clear(0)
    elif not source.shape:
        work.replace(0, ())
    else:
        strides = tuple(_strides(work, source, list(pattern)))
        work.share(0, Array(source.buffer, shape, strides, source.itemsize))


def _strides(work: Work, source: Array, pattern: list[object]) -> Iterator[int]:
    """Strides of the result's dimensions, for the Op's index pattern `idx_list`."""
    position = 1
    for stride, entry in zip(source.strides, pattern + [{"slice": [None] * 3}] * (len(source.strides) - len(pattern))):
        if not isinstance(entry, dict):
            position += entry == "i"
            continue
        parts = entry["slice"]
        step = parts[2]
        position += sum(p == "i" for p in parts)
        if step == "i":
            step = work.known(position - 1)
        yield stride * (step if isinstance(step, int) else 1)


def inc_subtensor(work: Work) -> None:
    """GpuIncSubtensor: in place, or into a copy of the array."""
    source = work.input(0)
    if source is None:
        work.clear(0)
    elif work.node.op.destroy_map:
        work.share(0, source)
    else:
        work.replace(0, source.shape)


def advanced_subtensor1(work: Work) -> None:
    """GpuAdvancedSubtensor1, rows by number: reuses the old value if it fits and is in C order."""
    work.reuse(0, contiguous=True)


def advanced_inc_subtensor1(work: Work) -> None:
    """GpuAdvancedIncSubtensor1: in place, or into a copy of the array."""
    source, added = work.input(0), work.input(1)
    if source is None:
        work.clear(0)
    elif work.node.op.destroy_map:
        work.share(0, source)
    elif work.node.op.name.endswith("_dev20") or (added is not None and len(added.shape) == len(source.shape)):
        copy_or_reuse(work, source)
    else:
        work.replace(0)


def extract_diag(work: Work) -> None:
    """GpuExtractDiag: a view, or a copy where the Op has no view_map."""
    source, shape = work.input(0), work.shape(0)
    if work.node.op.view_map and source is not None and shape is not None:
        stride = source.strides[0] + source.strides[1]
        work.share(0, Array(source.buffer, shape, (*source.strides[2:], stride), source.itemsize))
    else:
        work.replace(0)


def new_beside(work: Work) -> None:
    """Ops that always create a new array, while the old value is still live."""
    work.replace(0)


_INDEXING_RULES = {
    "Subtensor": subtensor,
    "GpuSubtensor": subtensor,
    "GpuIncSubtensor": inc_subtensor,
    "GpuAdvancedSubtensor1": advanced_subtensor1,
    "GpuAdvancedIncSubtensor1": advanced_inc_subtensor1,
    "GpuAdvancedIncSubtensor1_dev20": advanced_inc_subtensor1,
    "GpuExtractDiag": extract_diag,
    "GpuAllocDiag": new_beside,
    "GpuAdvancedIncSubtensor": new_beside,
    "GpuAdvancedBooleanIncSubtensor": new_beside,
}
"""Memory rule by class name of the Op."""


INDEX_BYTES = 8
"""Bytes of a position where the index is a mask, which NumPy converts to int64."""
NEW_AXIS = "NoneTypeT"
"""Text of the type of a `None` index."""


def advanced_subtensor(work: Work) -> None:
    """Copies the positions, computed on the host, to the device, then gathers the rows into a new array.

    The source is copied first where its indexed dimensions cannot be merged into one by a view. The gathered dimensions come first in
    memory, wherever they are in the result.
    """
    source, arrays = work.input(0), [k for k in range(1, len(work.node.inputs)) if _is_array(work, k)]
    shapes = [work.shape_in(k) for k in arrays]
    if source is None or not arrays or None in shapes:
        work.replace(0)
        return
    gathered, shape, place = _broadcast([s for s in shapes if s is not None]), work.shape(0), _place(work)
    rest = () if shape is None else shape[:place] + shape[place + len(gathered) :]
    copy = _flattened(work, source, rest)
    index = work.temporary(size_of(gathered) * max(_index_bytes(work, k) for k in arrays), "positions of the rows")
    rows = work.fresh(0)
    work.give(index)
    work.release(copy)
    work.assign(0, rows if rows is None else rows._replace(strides=_strides_of_steps(rows, place, len(gathered))))


def _entry(work: Work, position: int) -> str:
    """The kind of index at input `position`: `array`, `number`, `new axis` or `slice`."""
    kind = work.frame.program.graph.variables[work.node.inputs[position]].type
    if kind.dtype is not None:
        return "array" if kind.ndim else "number"
    return "new axis" if kind.text == NEW_AXIS else "slice"


def _is_array(work: Work, position: int) -> bool:
    return _entry(work, position) == "array"


def _index_bytes(work: Work, position: int) -> int:
    dtype = work.frame.program.graph.variables[work.node.inputs[position]].type.dtype or "int64"
    return INDEX_BYTES if dtype == "bool" else itemsize(dtype)


def _broadcast(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape to which arrays of these shapes broadcast."""
    ndim = max(map(len, shapes))
    padded = [(1,) * (ndim - len(s)) + s for s in shapes]
    return tuple(max(column) if 0 not in column else 0 for column in zip(*padded))


def _place(work: Work) -> int:
    """Position of the gathered dimensions in the result: that of the first index, or 0 if a slice lies between two of the arrays."""
    place, parted = None, False
    for k in range(1, len(work.node.inputs)):
        entry = _entry(work, k)
        if entry in ("slice", "new axis"):
            parted = place is not None
        elif place is None:
            place = k - 1
        elif parted and entry == "array":
            return 0
    return place or 0


def _strides_of_steps(rows: Array, place: int, count: int) -> tuple[int, ...]:
    """Strides of `rows` where its `count` dimensions from `place` on come first in memory."""
    ndim = len(rows.shape)
    order = (*range(place, place + count), *range(place), *range(place + count, ndim))
    if len(order) != ndim:  # a mask, which merges several dimensions of the source into one
        return rows.strides
    found = dict(zip(order, c_strides(tuple(rows.shape[k] for k in order), rows.itemsize)))
    return tuple(found[k] for k in range(ndim))


def _flattened(work: Work, source: Array, rest: tuple[int, ...]) -> Array | None:
    """A copy of `source` with the indexed dimensions merged in front, followed by those of `rest`; None where a view will do."""
    indexed, others, axis = [], [], 0
    for k in range(1, len(work.node.inputs)):
        entry = _entry(work, k)
        if entry == "array":
            indexed.append(axis)
        elif entry == "slice":
            others.append(axis)
        axis += entry != "new axis"
    others += range(axis, len(source.shape))
    if axis > len(source.shape):  # a mask takes several dimensions
        return None
    axes = indexed + others
    turned = source._replace(shape=tuple(source.shape[k] for k in axes), strides=tuple(source.strides[k] for k in axes))
    p = len(indexed)
    flat = (size_of(turned.shape[:p]), *turned.shape[p:])
    if reshaped(turned, flat) is not None:
        return None
    return work.copied(turned._replace(shape=(flat[0], *rest)), "copy with the indexed dimensions in front")


_ADVANCED_INDEXING_RULES = {"GpuAdvancedSubtensor": advanced_subtensor, "GpuAdvancedBooleanSubtensor": advanced_subtensor}
"""Memory rule by class name of the Op."""


RULES = {**_INDEXING_RULES, **_ADVANCED_INDEXING_RULES}
"""Memory rule by class name of the Op."""
