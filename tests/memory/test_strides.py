"""Strides and reshaping, with numpy as the judge of what is one piece and of what needs a copy."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

from theanodiag.ir import Unknown
from theanodiag.memory.allocators import DirectAllocator, Driver
from theanodiag.memory.simulated_device import Heap
from theanodiag.ops.arrays import Array, Buffer, Cell, ItemKind, Tag, c_strides, exact, reshaped

TAG = Tag(ItemKind.INPUT, "x")
BUFFER = Buffer(0, 0, 0, TAG, 0)
SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=4)
DTYPES = st.sampled_from(["int8", "float16", "float32", "float64", "complex128"])
STEPS = st.sampled_from([1, 2, 3, -1])


@st.composite
def numpy_views(draw: st.DrawFn) -> np.ndarray:
    """A view of a numpy array: sliced with steps, turned, both or neither."""
    whole = np.zeros([2 * n for n in draw(SHAPES)], draw(DTYPES))
    view = whole[tuple(slice(None, None, draw(STEPS)) for _ in whole.shape)] if draw(st.booleans()) else whole
    return view.transpose(draw(st.permutations(range(view.ndim)))) if draw(st.booleans()) else view


def same(view: np.ndarray) -> Array:
    """The same array as ours."""
    return Array(BUFFER, view.shape, view.strides, view.itemsize)


@hypothesis(deadline=None)
@given(numpy_views())
def test_one_piece_is_what_numpy_calls_so(view: np.ndarray) -> None:
    """In C order, in Fortran order, in either."""
    array = same(view)
    assert array.contiguous == view.flags.c_contiguous
    assert array.f_contiguous == view.flags.f_contiguous
    assert array.one_segment == (view.flags.c_contiguous or view.flags.f_contiguous)


@hypothesis(deadline=None)
@given(SHAPES, DTYPES)
def test_strides_of_a_fresh_array_are_numpy_s(shape: list[int], dtype: str) -> None:
    """In C order."""
    fresh = np.empty(shape, dtype)
    assert c_strides(tuple(shape), fresh.itemsize) == fresh.strides
    assert same(fresh).nbytes == fresh.nbytes


@hypothesis(deadline=None)
@given(numpy_views(), st.data())
def test_a_view_with_another_shape_shows_the_same_elements(view: np.ndarray, data: st.DataObject) -> None:
    """Wherever ours says that no copy is needed, numpy sees the elements in the same order."""
    whole = view.base if view.base is not None else view
    whole.ravel()[:] = np.arange(whole.size) % 100
    shape = data.draw(st.sampled_from([(view.size,), (view.size, 1), (1, view.size), *_splits(view.size)]))
    found = reshaped(same(view), shape)
    assume(found is not None)
    assert found is not None
    seen = as_strided(view, found.shape, found.strides)
    assert (seen == view.reshape(shape)).all()


def _splits(n: int) -> list[tuple[int, int]]:
    """All ways to write n as a product of two."""
    return [(k, n // k) for k in range(1, n + 1) if n % k == 0]


@pytest.mark.parametrize(
    ("shape", "strides", "into", "expected"),
    [
        ((4, 6), (24, 4), (24,), (4,)),
        ((4, 6), (48, 4), (24,), None),
        ((4, 6), (48, 4), (2, 2, 6), (96, 48, 4)),
        ((4, 6), (48, 4), (4, 2, 3), (48, 12, 4)),
        ((4, 6), (48, 4), (2, 12), None),
        ((4, 6), (4, 16), (24,), None),
        ((4, 6), (4, 16), (2, 2, 6), (8, 4, 16)),
        ((0, 6), (48, 8), (3, 0), (0, 0)),
        ((0, 6), (24, 4), (3, 0), (0, 4)),
    ],
    ids=["flat", "holes", "rows split", "columns split", "across rows", "turned flat", "turned split", "empty", "empty in order"],
)
def test_reshaping_by_hand(
    shape: tuple[int, ...], strides: tuple[int, ...], into: tuple[int, ...], expected: tuple[int, ...] | None
) -> None:
    """Float32 of 4 by 6; None where only a copy will do."""
    found = reshaped(Array(BUFFER, shape, strides, 4), into)
    assert (found and found.strides) == expected


@hypothesis(deadline=None)
@given(st.lists(st.integers(0, 9), max_size=5))
def test_the_size_is_the_product(shape: list[int]) -> None:
    """Of nothing it is one."""
    assert prod(tuple(shape)) == prod(shape)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [((), ()), ((2, 3), (2, 3)), ((2, Unknown("a")), Unknown("a")), ((Unknown("a"), Unknown("b")), Unknown("a")), (Unknown("c"),) * 2],
    ids=["scalar", "known", "one unknown", "two unknown", "nothing known"],
)
def test_a_shape_is_exact_or_says_why_not(shape: object, expected: object) -> None:
    """The first unknown dimension gives the reason."""
    assert exact(shape) == expected  # type: ignore[arg-type]


class TestCell:
    """A storage cell holds its value."""

    def array(self, store: Heap, n: int = 10) -> Array:
        """A fresh array that only its maker holds."""
        return Array(store.take(n, TAG), (n,), (1,), 1)

    def test_a_value_put_again_stays(self) -> None:
        """It is held before it is let go, so that it never dies in between."""
        store, cell = Heap(DirectAllocator(Driver())), Cell()
        value = self.array(store)
        cell.put(store, value)
        store.drop(value.buffer)
        cell.put(store, value)
        assert (store.live, value.buffer.holders, value.buffer.died) == (10, 1, None)

    def test_two_cells_hold_one_buffer_together(self) -> None:
        """It goes with the second."""
        store, cells = Heap(DirectAllocator(Driver())), (Cell(), Cell())
        value = self.array(store)
        for cell in cells:
            cell.put(store, value)
        store.drop(value.buffer)
        cells[0].put(store, None)
        assert store.live == 10
        cells[1].put(store, None)
        assert store.live == 0

    def test_a_new_value_is_there_beside_the_old_one(self) -> None:
        """For a moment both count: 10 and 7 bytes."""
        store, cell = Heap(DirectAllocator(Driver())), Cell()
        for n in (10, 7):
            value = self.array(store, n)
            cell.put(store, value)
            store.drop(value.buffer)
        assert (store.peak, store.live) == (17, 7)
