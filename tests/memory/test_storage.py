"""Strides, contiguity and reshaping, against numpy."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from theanodiag.ops.arrays import Array, Buffer, ItemKind, Tag, c_strides, reshaped

BUFFER = Buffer(0, 0, 0, Tag(ItemKind.INPUT, "x"), 0)
SHAPES = st.lists(st.integers(1, 4), max_size=4).map(tuple)


def test_c_order() -> None:
    """The last dimension has the stride of one element."""
    assert c_strides((2, 3, 4), 4) == (48, 16, 4)


def test_transposed_is_fortran() -> None:
    """A transposed matrix lies in one segment, but not in C order."""
    array = Array(BUFFER, (3, 2), (4, 12), 4)
    assert not array.contiguous
    assert array.f_contiguous
    assert array.one_segment


def test_every_second_row_is_not_one_segment() -> None:
    """A slice with a step has holes."""
    assert not Array(BUFFER, (2, 3), (24, 4), 4).one_segment


def test_strides_of_dimensions_of_one_do_not_matter() -> None:
    """As libgpuarray has it."""
    assert Array(BUFFER, (1, 3), (999, 4), 4).contiguous


def test_a_strided_array_splits_a_dimension_without_a_copy() -> None:
    """Rows of a slice with a step: (4, 3) with holes becomes (2, 2, 3)."""
    view = reshaped(Array(BUFFER, (4, 3), (24, 4), 4), (2, 2, 3))
    assert view is not None
    assert view.strides == (48, 24, 4)


def test_a_transposed_array_cannot_be_flattened() -> None:
    """That needs a copy."""
    assert reshaped(Array(BUFFER, (3, 2), (4, 12), 4), (6,)) is None


def test_a_shape_of_another_size_is_no_view() -> None:
    """A size that is a mere bound may not fit: then it is a copy."""
    assert reshaped(Array(BUFFER, (3, 2), (8, 4), 4), (7,)) is None


@settings(deadline=None)
@given(SHAPES, st.integers(1, 24))
def test_contiguous_arrays_take_any_shape(shape: tuple[int, ...], split: int) -> None:
    """The result is in C order and has as many bytes."""
    array = Array(BUFFER, shape, c_strides(shape, 4), 4)
    n = array.nbytes // 4
    view = reshaped(array, (n // split, split) if n % split == 0 else (n,))
    assert view is not None
    assert view.contiguous
    assert view.nbytes == array.nbytes
