"""Elementwise operations and DimShuffle against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.agent.shapes.dimensions import Bound, broadcast, joint, product
from theanodiag.ir import Op, Unknown
from theanodiag.ir.builder import GraphBuilder, tensor
from theanodiag.shapes import infer

from .made import reason_of, shape_of

SHAPES = st.lists(st.integers(0, 5), min_size=0, max_size=4).map(tuple)


@given(SHAPES, st.lists(st.booleans(), min_size=4, max_size=4))
def test_broadcasting_is_that_of_numpy(shape: tuple[int, ...], ones: list[bool]) -> None:
    """An operand with some dimensions of 1 is stretched."""
    other = tuple(1 if one else d for d, one in zip(shape, ones))
    assert shape_of("Elemwise", [shape, other], len(shape)) == np.broadcast_shapes(shape, other)


@given(SHAPES)
def test_one_operand_keeps_its_shape(shape: tuple[int, ...]) -> None:
    """A function of one array; also on the GPU."""
    assert shape_of("GpuElemwise", [shape], len(shape)) == shape


def test_a_known_operand_decides() -> None:
    """Of two operands of the same rank the known one gives the size that is not 1."""
    b = GraphBuilder()
    x, y = b.argument("x", tensor(None, None)), b.argument("y", tensor(None, None))
    made = b.apply(Op("Elemwise", "Elemwise{add,no_inplace}"), [x, y], tensor(None, None))
    found = infer(b.build(made), {x: (5, 1)}).shape(made)
    assert isinstance(found, tuple)
    assert found[0] == 5
    assert reason_of(found) == "the shape of y is not given"


def test_joint_prefers_what_is_certain() -> None:
    """An exact size wins over a bound, a bound that is larger over a smaller one, and nothing over Unknown and 1."""
    assert joint([Bound(9), 4]) == 4
    assert joint([Bound(9), Bound(8), 1]) == 9
    assert isinstance(joint([1, Unknown("?")]), Unknown)


def test_an_exact_zero_makes_a_product_exact() -> None:
    """Whatever the other dimensions are."""
    assert product([Unknown("?"), 0]) == 0
    assert isinstance(product([Unknown("?"), 2]), Unknown)


@given(SHAPES, SHAPES)
def test_broadcast_aligns_at_the_right(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    """Where numpy takes the shapes, it makes of them what we say."""
    try:
        expected = np.broadcast_shapes(a, b)
    except ValueError:
        return
    assert broadcast([a, b]) == expected


@pytest.mark.parametrize("order", [[1, 0], ["x", 0, 1], [0, "x", 1], [1, "x", 0, "x"]])
def test_dimshuffle_by_its_order(order: list[object]) -> None:
    """Dimensions move and new ones have length 1."""
    expected = tuple((3, 4)[d] if isinstance(d, int) else 1 for d in order)
    assert shape_of("DimShuffle", [(3, 4)], len(order), {"new_order": order}) == expected


@pytest.mark.parametrize("axes", [[0], [1], [-1], [0, 2]])
def test_expand_dims(axes: list[int]) -> None:
    """PyTensor's name for a DimShuffle that adds dimensions."""
    expected = np.expand_dims(np.empty((3, 4)), tuple(axes)).shape
    assert shape_of("DimShuffle", [(3, 4)], len(expected), {"axis": axes}, f"ExpandDims{{axes={axes}}}") == expected


def test_drop_dims_and_transposes() -> None:
    """PyTensor's other names."""
    assert shape_of("DimShuffle", [(3, 1)], 1, {"axis": 1}, "DropDims{axis=1}") == np.empty((3, 1)).squeeze(1).shape
    assert shape_of("DimShuffle", [(3, 4, 5)], 3, {"axis": [2, 0, 1]}, "Transpose{axes=[2, 0, 1]}") == (5, 3, 4)
    assert shape_of("DimShuffle", [(3, 4, 5)], 3, {"is_matrix_transpose": True}, "MatrixTranspose") == (3, 5, 4)


def test_a_dimshuffle_without_parameters_is_unknown() -> None:
    """Nothing is assumed."""
    assert "DimShuffle" in reason_of(shape_of("DimShuffle", [(3, 4)], 2))


def test_an_axis_that_is_named_twice_has_no_shape() -> None:
    """A damaged text is no crash."""
    found = shape_of("DimShuffle", [(3,)], 3, {"axis": [1, 1]}, text="ExpandDims{axes=[1, 1]}")
    assert "named twice" in reason_of(found)
