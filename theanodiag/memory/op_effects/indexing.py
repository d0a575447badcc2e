"""Memory effects of basic indexing, row selection and increments of parts.

Source: Theano 1.0.5, gpuarray/subtensor.py, tensor/subtensor.py (`IncSubtensor.c_code`); pygpu 0.7.6, gpuarray.pyx.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..storage import Array
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


RULES = {
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
