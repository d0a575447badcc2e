"""Indexing: views, gathered copies, and increments of a copy.

Source: Theano 1.0.5, gpuarray/subtensor.py, tensor/subtensor.py (`IncSubtensor.c_code`); pygpu 0.7.6, gpuarray.pyx.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...ir import itemsize
from ..values import Array, reshaped, size_of
from .base import Work
from .blas import copy_or_reuse

INDEX_BYTES = 8
"""pygpu makes int64 of index arrays."""


def subtensor(work: Work) -> None:
    """A view: each index takes a dimension away, each slice scales its stride by its step."""
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
    """Strides of the dimensions that are left."""
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
    """In place, or into a copy."""
    source = work.input(0)
    if source is None:
        work.clear(0)
    elif work.node.op.destroy_map:
        work.share(0, source)
    else:
        work.replace(0, source.shape)


def advanced_subtensor1(work: Work) -> None:
    """Rows by number; what is there is kept if it fits and is in C order."""
    work.reuse(0, contiguous=True)


def advanced_inc_subtensor1(work: Work) -> None:
    """In place, or into a copy of the array."""
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
    """A view, or a copy of it."""
    source, shape = work.input(0), work.shape(0)
    if work.node.op.view_map and source is not None and shape is not None:
        stride = source.strides[0] + source.strides[1]
        work.share(0, Array(source.buffer, shape, (*source.strides[2:], stride), source.itemsize))
    else:
        work.replace(0)


def advanced_subtensor(work: Work) -> None:
    """Positions computed on the host go to the device; then the rows are gathered.

    The array is copied first where its indexed dimensions cannot be made one without that.
    """
    source, arrays = work.input(0), [k for k in range(1, len(work.node.inputs)) if _is_array(work, k)]
    shapes = [work.shape_in(k) for k in arrays]
    if source is None or not arrays or None in shapes:
        work.replace(0)
        return
    positions = size_of(_broadcast([s for s in shapes if s is not None]))
    copy = _flattened(work, source, [k - 1 for k in arrays])
    index = work.temporary(positions * max(_index_bytes(work, k) for k in arrays), "positions of the rows")
    rows = work.fresh(0)
    work.give(index)
    work.release(copy)
    work.assign(0, rows)


def _is_array(work: Work, position: int) -> bool:
    kind = work.frame.program.graph.variables[work.node.inputs[position]].type
    return kind.dtype is not None and kind.ndim > 0


def _index_bytes(work: Work, position: int) -> int:
    dtype = work.frame.program.graph.variables[work.node.inputs[position]].type.dtype or "int64"
    return INDEX_BYTES if dtype == "bool" else itemsize(dtype)


def _broadcast(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape of arrays that are broadcast against each other."""
    ndim = max(map(len, shapes))
    padded = [(1,) * (ndim - len(s)) + s for s in shapes]
    return tuple(max(column) if 0 not in column else 0 for column in zip(*padded))


def _flattened(work: Work, source: Array, indexed: list[int]) -> Array | None:
    """A copy of `source` with its indexed dimensions in front and made one; None where a view will do."""
    if max(indexed) >= len(source.shape):
        return None
    axes = indexed + [k for k in range(len(source.shape)) if k not in indexed]
    turned = source._replace(shape=tuple(source.shape[k] for k in axes), strides=tuple(source.strides[k] for k in axes))
    p = len(indexed)
    flat = (size_of(turned.shape[:p]), *turned.shape[p:])
    return None if reshaped(turned, flat) is not None else work.copied(turned, "copy with the indexed dimensions in front")


def new_beside(work: Work) -> None:
    """A new array, whatever is there."""
    work.replace(0)


RULES = {
    "Subtensor": subtensor,
    "GpuSubtensor": subtensor,
    "GpuIncSubtensor": inc_subtensor,
    "GpuAdvancedSubtensor1": advanced_subtensor1,
    "GpuAdvancedIncSubtensor1": advanced_inc_subtensor1,
    "GpuAdvancedIncSubtensor1_dev20": advanced_inc_subtensor1,
    "GpuExtractDiag": extract_diag,
    "GpuAllocDiag": new_beside,
    "GpuAdvancedSubtensor": advanced_subtensor,
    "GpuAdvancedBooleanSubtensor": advanced_subtensor,
    "GpuAdvancedIncSubtensor": new_beside,
    "GpuAdvancedBooleanIncSubtensor": new_beside,
}
