"""Storage cells and the arrays in them: a buffer with a shape and strides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from math import prod
from typing import NamedTuple

from ..ir import Apply, FunctionGraph, Shape, Unknown
from .heap import Buffer, Heap


class Array(NamedTuple):
    """An array in device or host memory; a view shares the buffer of its base."""

    buffer: Buffer
    """The memory that it is in."""
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In bytes."""
    itemsize: int
    """Bytes of an element."""

    @property
    def nbytes(self) -> int:
        """Bytes of its elements; for a view, less than its buffer."""
        return size_of(self.shape) * self.itemsize

    @property
    def contiguous(self) -> bool:
        """Whether its elements lie one after the other in C order; strides of dimensions of length 1 do not matter."""
        return is_c_contiguous(self.shape, self.strides, self.itemsize)

    @property
    def one_segment(self) -> bool:
        """Whether its elements lie one after the other in C or Fortran order."""
        return self.contiguous or self.f_contiguous

    @property
    def f_contiguous(self) -> bool:
        """Whether its elements lie one after the other in Fortran order."""
        return is_c_contiguous(self.shape[::-1], self.strides[::-1], self.itemsize)


def exact(shape: Shape | Unknown) -> tuple[int, ...] | Unknown:
    """The shape if all its dimensions are known, else the Unknown that says why not."""
    if isinstance(shape, Unknown):
        return shape
    for d in shape if Unknown in map(type, shape) else ():
        if isinstance(d, Unknown):
            return d
    return shape  # type: ignore[return-value]


def size_of(shape: tuple[int, ...]) -> int:
    """Number of elements of an array of this shape."""
    return prod(shape)


@lru_cache(maxsize=4096)
def c_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Strides in bytes of an array in C order."""
    strides, step = [], itemsize
    for d in reversed(shape):
        strides.append(step)
        step *= d
    return tuple(reversed(strides))


def is_c_contiguous(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    """Whether an array is C-contiguous as libgpuarray decides it.

    Source: libgpuarray 0.7.6, src/gpuarray_array.c, `GpuArray_is_c_contiguous`.
    """
    step = itemsize
    for d, s in zip(reversed(shape), reversed(strides)):
        if d != 1 and s != step:
            return False
        step *= d
    return True


def reshaped(array: Array, shape: tuple[int, ...]) -> Array | None:
    """A view of `array` with another shape, in C order; None where only a copy can have that shape.

    Source: libgpuarray 0.7.6, src/gpuarray_array.c, `GpuArray_reshape_inplace`.
    """
    if size_of(shape) != size_of(array.shape):
        return None
    if array.contiguous:
        return array._replace(shape=shape, strides=c_strides(shape, array.itemsize))
    if not size_of(shape):
        return array._replace(shape=shape, strides=(0,) * len(shape))
    strides = [array.itemsize] * len(shape)
    for new, old in _equal_parts(shape, array.shape):
        if any(array.strides[k] != array.shape[k + 1] * array.strides[k + 1] for k in old[:-1]):
            return None
        strides[new[-1]] = array.strides[old[-1]]
        for k in reversed(new[:-1]):
            strides[k] = strides[k + 1] * shape[k + 1]
    return array._replace(shape=shape, strides=tuple(strides))


def _equal_parts(new: tuple[int, ...], old: tuple[int, ...]) -> Iterator[tuple[range, range]]:
    """Splits both shapes into the shortest runs of dimensions with equal numbers of elements; yields their indices, new and old."""
    i, j = 0, 0
    while i < len(new) and j < len(old):
        first_i, first_j, n, m = i, j, new[i], old[j]
        while n != m:
            if n < m:
                i += 1
                n *= new[i]
            else:
                j += 1
                m *= old[j]
        i, j = i + 1, j + 1
        yield range(first_i, i), range(first_j, j)


class Cell:
    """A storage cell: what the virtual machine keeps for one Variable. It holds its value."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: Array | None = None
        """The array in the cell; None if it is empty."""

    def put(self, store: Heap, value: Array | None) -> None:
        """Replaces the value; the new one gains a holder before the old one loses one."""
        if value is not None:
            value.buffer.holders += 1
        old, self.value = self.value, value
        if old is not None:
            store.drop(old.buffer)


def aliased_inputs(node: Apply, output: int) -> tuple[int, ...]:
    """Ids of the inputs of `node` that output number `output` views or overwrites."""
    positions = (*node.op.view_map.get(output, ()), *node.op.destroy_map.get(output, ()))
    return tuple(node.inputs[p] for p in positions)


def alias_sets(graph: FunctionGraph) -> Mapping[int, int]:
    """Maps each Variable that is a view or overwrites another to the root of its alias set, the Variable that owns the memory."""
    base: dict[int, int] = {}
    for node in graph.applies:
        for position, output in enumerate(node.outputs):
            sources = aliased_inputs(node, position)
            if sources:
                base[output] = base.get(sources[0], sources[0])
    return base


def may_share_memory(graph: FunctionGraph, variables: Iterable[int]) -> frozenset[int]:
    """All Variables that may share memory with one of `variables`, themselves included: the transitive closure of aliasing.

    Source: Theano 1.0.5, compile/function_module.py, `infer_reuse_pattern`: it goes both ways along view_map and destroy_map.
    """
    neighbours: dict[int, list[int]] = {}
    for node in graph.applies:
        for position, output in enumerate(node.outputs):
            for source in aliased_inputs(node, position):
                neighbours.setdefault(output, []).append(source)
                neighbours.setdefault(source, []).append(output)
    found, todo = set(), list(variables)
    while todo:
        variable = todo.pop()
        if variable not in found:
            found.add(variable)
            todo += neighbours.get(variable, ())
    return frozenset(found)
