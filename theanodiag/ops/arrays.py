"""Arrays in memory, as Ops allocate, view and overwrite them: a buffer with a shape and strides."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from functools import lru_cache
from math import prod
from typing import NamedTuple, Protocol

from ..ir import Shape, Site, Unknown


class ItemKind(enum.Enum):
    """What a piece of memory is used for."""

    SHARED = "shared"
    """The value of a shared variable."""
    CONSTANT = "constant"
    """A constant of a function."""
    INPUT = "input"
    """A device copy of an argument."""
    INTERMEDIATE = "intermediate"
    """Computed, and neither returned nor an update."""
    OUTPUT = "output"
    """Returned to the caller, or the new value of a shared variable until the call ends."""
    INNER = "inner"
    """Taken inside a Scan or another inner graph."""
    WORKSPACE = "workspace"
    """Taken by an Op while it runs, and given back when it is done."""
    ROUNDING = "rounding"
    """Bytes that the allocator adds to a request by rounding."""
    FRAGMENTATION = "fragmentation"
    """Reserved but not live (free blocks of the allocator)."""
    CONTEXT = "context"
    """Taken by the driver for its context."""

    __hash__ = object.__hash__
    """Hashes by identity, which is faster than `Enum`'s hash, as in `TypeKind`."""


class Tag(NamedTuple):
    """The purpose of a buffer, as reports show it."""

    kind: ItemKind
    """What the memory is used for."""
    variable: str
    """Name of the Variable, or the text of the Op that makes it."""
    op: str | None = None
    """Text of the Op that makes it; None for inputs, shared variables and constants."""
    dtype: str | None = None
    """Dtype of the array; None where it is none."""
    shape: Shape | Unknown = ()
    """Shape of the array."""
    site: Site | None = None
    """The line of the script that made it."""
    shared: int | None = None
    """Id of the shared variable whose value it is, or whose new value it will be when the call ends; None for all else."""


class Buffer:
    """A piece of memory that served a request of `requested` bytes and occupies `held` bytes; it is freed when `holders`, its number of
    holders, reaches 0.
    """

    __slots__ = ("_tag", "address", "born", "died", "held", "holders", "requested")

    def __init__(self, address: int, requested: int, held: int, tag: Tag | Callable[[], Tag], born: int, holders: int = 0) -> None:
        self.address = address
        self.requested = requested
        self.held = held
        self._tag = tag
        self.born = born
        """Clock of the heap when it was taken."""
        self.holders = holders
        self.died: int | None = None

    @property
    def tag(self) -> Tag:
        """Returns the purpose of the buffer; computed at the first use, because few buffers are shown."""
        if not isinstance(self._tag, Tag):
            self._tag = self._tag()
        return self._tag

    def becomes(self, tag: Tag) -> None:
        """Replaces the tag, for example when the result of a call becomes the value of a shared variable."""
        self._tag = tag


class Array(NamedTuple):
    """An array in device or host memory; views share the buffer of their base."""

    buffer: Buffer
    """The memory that the array is in."""
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """Distance between neighbouring elements along each dimension, in bytes."""
    itemsize: int
    """Bytes of an element."""

    @property
    def nbytes(self) -> int:
        """Bytes of the array's elements; for a view, less than the bytes of its buffer."""
        return prod(self.shape) * self.itemsize

    @property
    def contiguous(self) -> bool:
        """Whether the array's elements lie one after the other in C order; strides of dimensions of length 1 do not matter."""
        return is_c_contiguous(self.shape, self.strides, self.itemsize)

    @property
    def one_segment(self) -> bool:
        """Whether the array's elements lie one after the other in C or Fortran order."""
        return self.contiguous or self.f_contiguous

    @property
    def f_contiguous(self) -> bool:
        """Whether the array's elements lie one after the other in Fortran order."""
        return is_c_contiguous(self.shape[::-1], self.strides[::-1], self.itemsize)


def exact(shape: Shape | Unknown) -> tuple[int, ...] | Unknown:
    """Returns `shape` if all its dimensions are known, else the Unknown with the reason."""
    if isinstance(shape, Unknown):
        return shape
    for d in shape if Unknown in map(type, shape) else ():
        if isinstance(d, Unknown):
            return d
    return shape  # type: ignore[return-value]


@lru_cache(maxsize=4096)
def c_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Returns the strides in bytes of an array in C order."""
    strides, step = [], itemsize
    for d in reversed(shape):
        strides.append(step)
        step *= d
    return tuple(reversed(strides))


def is_c_contiguous(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    """Returns whether an array is C-contiguous as libgpuarray decides it.

    Source: libgpuarray 0.7.6, src/gpuarray_array.c, `GpuArray_is_c_contiguous`.
    """
    step = itemsize
    for d, s in zip(reversed(shape), reversed(strides)):
        if d != 1 and s != step:
            return False
        step *= d
    return True


def reshaped(array: Array, shape: tuple[int, ...]) -> Array | None:
    """Returns a view of `array` with another shape, in C order; None if only a copy can have that shape.

    Source: libgpuarray 0.7.6, src/gpuarray_array.c, `GpuArray_reshape_inplace`.
    """
    if prod(shape) != prod(array.shape):
        return None
    if array.contiguous:
        return array._replace(shape=shape, strides=c_strides(shape, array.itemsize))
    if not prod(shape):
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


class Store(Protocol):
    """The operations of the heap that serves requests, as far as the rules for memory use them."""

    def hold(self, buffer: Buffer) -> None:
        """Adds one holder to a buffer."""

    def drop(self, buffer: Buffer) -> None:
        """Removes one holder from a buffer; the last one releases it."""


class Cell:
    """A storage cell, in which the virtual machine keeps the value of one Variable. The cell is a holder of that value."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: Array | None = None
        """The array in the cell; None if it is empty."""

    def put(self, store: Store, value: Array | None) -> None:
        """Replaces the value in the cell. The new value gains a holder before the old one loses one."""
        if value is not None:
            value.buffer.holders += 1
        old, self.value = self.value, value
        if old is not None:
            store.drop(old.buffer)
