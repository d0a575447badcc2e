"""Basic and advanced indexing against numpy itself."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.ir import Op, Type, TypeKind, Unknown
from theanodiag.ir.builder import GraphBuilder, tensor
from theanodiag.shapes import infer

from .made import Known, Sized, is_bounded, reason_of, shape_of

ENDS = st.none() | st.integers(-7, 7)
STEPS = st.none() | st.sampled_from([-3, -2, -1, 1, 2, 3])


def pattern(*entries: Any) -> dict[str, object]:
    """The parameters of a Subtensor with this index, all numbers written in it."""
    return {"idx_list": [{"slice": [e.start, e.stop, e.step]} if isinstance(e, slice) else e for e in entries]}


@given(st.lists(st.integers(0, 6), min_size=1, max_size=3), st.data())
def test_slices_of_numbers_are_those_of_numpy(shape: list[int], data: Any) -> None:
    """Any start, stop and step, in front, behind and beyond."""
    index = tuple(data.draw(st.builds(slice, ENDS, ENDS, STEPS)) for _ in shape)
    expected = np.empty(shape)[index].shape
    assert shape_of("Subtensor", [shape], len(shape), pattern(*index)) == expected


@given(st.integers(0, 6), ENDS, ENDS, STEPS)
def test_a_slice_of_a_bound_holds_every_shorter_one(length: int, start: int | None, stop: int | None, step: int | None) -> None:
    """What a slice of a longer dimension can be is never below that of a shorter one."""
    from theanodiag.agent.shapes.dimensions import Bound
    from theanodiag.ops.indexing import Slice, length_of

    found = length_of(Bound(6), Slice(start, stop, step))
    assert not isinstance(found, Unknown)
    assert found >= len(range(length)[slice(start, stop, step)])


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_a_slice_of_an_unknown_dimension_is_bounded_by_its_ends(length: int, start: int, stop: int) -> None:
    """`x[a:b]` has at most `b - a` rows."""
    from theanodiag.ops.indexing import Slice, length_of

    found = length_of(Unknown("no size"), Slice(start, stop, None))
    assert not isinstance(found, Unknown)
    assert found >= len(range(length)[start:stop])


def test_the_value_of_an_index_is_followed() -> None:
    """`x[:n]` with a known n is exact."""
    params = {"idx_list": [{"slice": [None, "i", None]}]}
    assert shape_of("Subtensor", [(50, 4), Known(7)], 2, params) == np.empty((50, 4))[:7].shape


def test_a_slice_to_an_unknown_end_is_bounded() -> None:
    """`x[:n]` with an n that nobody knows is at most x."""
    params = {"idx_list": [{"slice": [None, "i", None]}]}
    assert shape_of("Subtensor", [(50, 4), Sized((), "int64")], 2, params) == (50, 4)
    assert is_bounded("Subtensor", [(50, 4), Sized((), "int64")], 2, params)


def test_a_pattern_that_is_not_known_is_named() -> None:
    """Without its parameters a Subtensor says nothing."""
    assert "Subtensor" in reason_of(shape_of("Subtensor", [(5, 4), Known(1)], 2))


def test_rows_by_number() -> None:
    """AdvancedSubtensor1, and its form on the GPU."""
    expected = np.empty((9, 4))[np.zeros((3,), int)].shape
    assert shape_of("GpuAdvancedSubtensor1", [(9, 4), Sized((3,), "int64")], 2) == expected


@pytest.mark.parametrize("places", [(0,), (1,), (0, 1), (0, 2), (1, 2)])
def test_arrays_among_slices_are_placed_as_numpy_does(places: tuple[int, ...]) -> None:
    """Side by side their shape stays in place, apart it goes first."""
    index: list[Any] = [slice(None)] * 3
    entries: list[object] = [{"slice": [None, None, None]}] * 3
    for place in places:
        index[place], entries[place] = np.zeros((2, 6), int), "i"
    expected = np.empty((3, 4, 5))[tuple(index)].shape
    found = shape_of("AdvancedSubtensor", [(3, 4, 5), *[Sized((2, 6), "int64")] * len(places)], len(expected), {"idx_list": entries})
    assert found == expected


@pytest.mark.parametrize("written", ["SliceConstant{1, None, None}", "slice(1, None, None)", "SliceConstant{-4, None, 2}"])
def test_a_constant_slice_among_arrays_is_read(written: str) -> None:
    """From the text that stands for it, in either form."""
    start, stop, step = (None if p == "None" else int(p) for p in re.findall(r"None|-?\d+", written))
    b = GraphBuilder()
    x, i = b.argument("x", tensor(None, None, None)), b.argument("i", tensor(None, dtype="int64"))
    cut = b.argument(written, Type(TypeKind.OTHER, None, (), "slice"))
    made = b.apply(Op("AdvancedSubtensor", "AdvancedSubtensor"), [x, i, cut, i], tensor(None, None))
    table = infer(b.build(made), {x: (6, 5, 4), i: (3,)})
    assert table.shape(made) == np.empty((6, 5, 4))[np.zeros(3, int), start:stop:step, np.zeros(3, int)].shape
    assert made not in table.bounded


def test_a_mask_gives_a_bound() -> None:
    """All elements may be chosen."""
    whole = np.empty((3, 4, 5))[np.ones((3, 4), bool)].shape
    assert shape_of("AdvancedBooleanSubtensor", [(3, 4, 5), Sized((3, 4), "bool")], 2) == whole
    assert is_bounded("AdvancedBooleanSubtensor", [(3, 4, 5), Sized((3, 4), "bool")], 2)


@pytest.mark.parametrize("name", ["IncSubtensor", "GpuIncSubtensor", "AdvancedIncSubtensor1", "GpuAdvancedIncSubtensor1_dev20"])
def test_assignments_keep_the_shape(name: str) -> None:
    """Whatever is written, and where."""
    assert shape_of(name, [(3, 4), (4,), Known(1)], 2) == (3, 4)
