"""Shape arithmetic: scalars, Composites, and values through a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.ir import FunctionGraph, Op, TypeKind
from theanodiag.ir.builder import GraphBuilder, tensor
from theanodiag.ops.composite import evaluate, is_monotone, program
from theanodiag.ops.scalars import FUNCTIONS, canonical, cast
from theanodiag.shapes import infer
from theanodiag.shapes.infer import array_of, value_of

INTS = st.integers(-50, 50)
VALUES = st.recursive(INTS, lambda inner: inner, max_leaves=1) | st.lists(INTS, max_size=5).map(tuple)


@given(INTS, INTS, INTS)
def test_a_composite_is_the_arithmetic_that_it_shows(a: int, b: int, c: int) -> None:
    """Precedence, brackets, calls, and Composites inside of it."""
    text = "Elemwise{Composite{Switch(LT((i0 - Composite{Switch(LT(i0, i1), i0, i1)}(i1, i2)), i2), (i0 + 2 * i1), (-i2))}}[(0, 0)]"
    (found,) = program(text) or ()
    assert evaluate(found, [a, b, c]) == (a + 2 * b if a - min(b, c) < c else -c)


def test_a_composite_with_several_outputs() -> None:
    """One expression for each."""
    first, second = program("Composite{(i0 // i1),maximum(i0, i1)}") or ()
    assert (evaluate(first, [7, 2]), evaluate(second, [7, 2])) == (7 // 2, max(7, 2))


@pytest.mark.parametrize("text", ["Composite{...}", "Composite{tanh(i0)}", "Composite{(i0 +", "", "Composite{" + "(" * 500])
def test_what_is_no_arithmetic_is_not_followed(text: str) -> None:
    """Also what is cut, or nested without end."""
    assert program(text) is None


def test_bounds_pass_only_through_what_does_not_fall() -> None:
    """A sum is monotone, a difference is not."""
    (grows,), (falls,) = program("Composite{(i0 + (i1 * 2))}") or (0,), program("Composite{(i0 - i1)}") or (0,)
    assert is_monotone(grows)
    assert not is_monotone(falls)


@pytest.mark.parametrize("name", ["ScalarMaximum", "true_div", "TrueDivide", "add", "Cast{int64}", "and_", "Sqr"])
def test_the_spellings_of_all_generations_are_known(name: str) -> None:
    """Each stands for a function."""
    assert canonical(name) in FUNCTIONS


def test_a_number_that_does_not_fit_its_dtype_is_refused() -> None:
    """Instead of one that wrapped around."""
    with pytest.raises(OverflowError):
        cast(300, "uint8")
    assert cast(2.7, "int64") == int(2.7)
    assert isinstance(cast(2, "float32"), float)


@given(st.lists(st.lists(INTS, min_size=2, max_size=2).map(tuple), min_size=1, max_size=5).map(tuple) | INTS)
def test_values_survive_the_way_through_an_array(value: object) -> None:
    """Nested tuples and numbers come back."""
    found = array_of(value)  # type: ignore[arg-type]
    assert found is not None
    assert value_of(found) == value


def reshaped_by_its_own_shape() -> tuple[FunctionGraph, int, int]:
    """`x.reshape((x.shape[0] * 2, -1))`."""
    b = GraphBuilder()
    x = b.argument("x", tensor(None, None))
    rows = b.apply(Op("Shape_i", "Shape_i{0}", params={"i": 0}), [x], tensor(dtype="int64"))
    two = b.constant(tensor(dtype="int8"), 2)
    twice = b.apply(Op("Elemwise", "Elemwise{mul}", params={"scalar_op": "Mul"}), [rows, two], tensor(dtype="int64"))
    rest = b.constant(tensor(dtype="int64"), -1)
    wanted = b.apply(Op("MakeVector", "MakeVector"), [twice, rest], tensor(2, dtype="int64"))
    made = b.apply(Op("Reshape", "Reshape{2}"), [x, wanted], tensor(None, None))
    return b.build(made), x, made


@given(st.integers(0, 9), st.integers(1, 9))
def test_shape_arithmetic_comes_out_exactly(rows: int, pairs: int) -> None:
    """Through Shape_i, a product and MakeVector."""
    graph, x, made = reshaped_by_its_own_shape()
    expected = (2 * rows, pairs) if rows else (0, 0)
    assert infer(graph, {x: (rows, 2 * pairs)}).shape(made) == expected


def composite_inside() -> tuple[FunctionGraph, int]:
    """An Elemwise whose Composite is printed below the graph, as `(i0 - i1) // 2`."""
    s = tensor(dtype="int64", kind=TypeKind.SCALAR)
    inner = GraphBuilder("Composite")
    i0, i1 = inner.argument("i0", s), inner.argument("i1", s)
    less = inner.apply(Op("Sub", "sub"), [i0, i1], s)
    half = inner.apply(Op("IntDiv", "int_div"), [less, inner.constant(s, 2)], s)
    b = GraphBuilder()
    constants = [b.constant(tensor(dtype="int64"), v) for v in (11, 4)]
    op = Op("Elemwise", "Composite{...}", params={"scalar_op": "Composite"}, inner=inner.build(half))
    size = b.apply(op, constants, tensor(dtype="int64"))
    made = b.apply(Op("AllocEmpty", "AllocEmpty"), [size], tensor(None))
    return b.build(made), made


def test_a_composite_with_an_inner_graph_is_computed() -> None:
    """Node by node."""
    graph, made = composite_inside()
    assert infer(graph, {}).shape(made) == ((11 - 4) // 2,)


def test_of_a_composite_those_results_are_computed_whose_operands_are_known() -> None:
    """One result of two numbers, one of one of them alone: with just that one known, the latter follows."""
    s = tensor(dtype="int64", kind=TypeKind.SCALAR)
    inner = GraphBuilder("Composite")
    i0, i1 = inner.argument("i0", s), inner.argument("i1", s)
    both, twice = (inner.apply(Op(name, name), [i0, other], s) for name, other in (("Mul", i1), ("Add", i0)))
    b = GraphBuilder()
    n, rows = b.argument("n", tensor(dtype="int64")), b.constant(tensor(dtype="int64"), 6)
    op = Op("Elemwise", "Composite{...}", params={"scalar_op": "Composite"}, inner=inner.build(both, twice))
    sizes = b.apply_many(op, [rows, n], [tensor(dtype="int64")] * 2)
    open_, made = (b.apply(Op("AllocEmpty", "AllocEmpty"), [size], tensor(None)) for size in sizes)
    table = infer(b.build(open_, made), {})
    assert table.shape(made) == (12,)
    assert open_ in table.open


def test_a_value_that_does_not_fit_its_shape_is_not_followed() -> None:
    """A text that was damaged may reshape an empty vector to a number."""
    b = GraphBuilder()
    empty = b.apply(Op("MakeVector", "MakeVector"), [], tensor(None, dtype="int64"))
    output = b.apply(Op("Reshape", "Reshape{0}", params={"ndim": 0}), [empty, empty], tensor(dtype="int64"))
    assert output not in infer(b.build(output), {}).values


PLACES = st.tuples(st.integers(-2, 1), st.integers(-3, 2) | st.slices(3))


def as_pattern(index: tuple[Any, ...]) -> list[object]:
    """An index as the parameter `idx_list`."""
    return [{"slice": [i.start, i.stop, i.step]} if isinstance(i, slice) else i for i in index]


def value_made(op: Op, *values: Any) -> Any:
    """The value of the only output of `op` on constants, as numpy has it."""
    b = GraphBuilder()
    ids = [b.constant(tensor(*np.shape(v), dtype="int64"), nested(np.asarray(v).tolist())) for v in values]
    made = b.apply(op, ids, tensor(*[None] * 2, dtype="int64"))
    return infer(b.build(made), {}).values.get(made)


def nested(value: Any) -> Any:
    """Lists as tuples."""
    return tuple(map(nested, value)) if isinstance(value, list) else value


@given(st.lists(st.slices(3) | st.slices(2), min_size=1, max_size=2).map(tuple))
def test_parts_of_a_small_matrix_are_followed(index: tuple[slice, ...]) -> None:
    """As PyTensor's pad reads its widths."""
    matrix = np.arange(6).reshape(2, 3)
    assert value_made(Op("Subtensor", "Subtensor", params={"idx_list": as_pattern(index)}), matrix) == nested(matrix[index].tolist())


@given(PLACES, st.booleans())
def test_entries_of_a_small_matrix_are_set(index: tuple[Any, ...], instead: bool) -> None:
    """As convolutions put widths together."""
    matrix = np.arange(6).reshape(2, 3)
    expected = matrix.copy()
    expected[index] = 40 if instead else matrix[index] + 40
    op = Op("IncSubtensor", "IncSubtensor", params={"idx_list": as_pattern(index), "set_instead_of_inc": instead})
    assert value_made(op, matrix, 40) == nested(expected.tolist())


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_small_matrices_are_joined(axis: int) -> None:
    """Along either axis, which is a parameter or the first input."""
    a, b = np.arange(4).reshape(2, 2), np.arange(4, 8).reshape(2, 2)
    expected = nested(np.concatenate([a, b], axis).tolist())
    assert value_made(Op("Join", "Join", params={"axis": axis}), a, b) == expected
    assert value_made(Op("Join", "Join"), axis, a, b) == expected
