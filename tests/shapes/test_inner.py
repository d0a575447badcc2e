"""Shapes through Scan, OpFromGraph, IfElse and random variables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from theanodiag.ir import FunctionGraph, Op, Shape, ShapeTable, Type, TypeKind, Unknown
from theanodiag.ir.builder import GraphBuilder, tensor
from theanodiag.ir.scan import scan_counts
from theanodiag.shapes import infer

from .made import Known, Sized, reason_of, shape_of, shapes_of

COUNTS: dict[str, Any] = scan_counts(n_seqs=1, n_nit_sot=1, sit_sot_in_slices=[[-1]], as_while=False)
LABELS = {"labels": ["inner_in_seqs-0", "inner_in_sit_sot-0-0", "inner_in_non_seqs-0"]}


def step(info: dict[str, object]) -> FunctionGraph:
    """One step: `h = dot(x, w) + h`, and a sum for each row."""
    b = GraphBuilder()
    x, h, w = (b.argument(n, tensor(None, None)) for n in ("x", "h", "w"))
    product = b.apply(Op("Dot22", "Dot22"), [x, w], tensor(None, None))
    added = b.apply(Op("Elemwise", "Elemwise{add}"), [product, h], tensor(None, None))
    rows = b.apply(Op("Sum", "Sum{axis=[1]}", params={"axis": [1]}), [added], tensor(None))
    return replace(b.build(added, rows), info=info)


def scan(info: dict[str, object], as_while: bool = False) -> tuple[ShapeTable, tuple[int, ...], int]:
    """A Scan of six steps over it: the shapes, its outputs, and its node."""
    b = GraphBuilder()
    n = b.constant(tensor(dtype="int64"), 6)
    x, h, w = b.argument("x", tensor(None, None, None)), b.argument("h", tensor(None, None, None)), b.argument("w", tensor(None, None))
    op = Op("Scan", "Scan", params={"as_while": as_while}, inner=step(info))
    made = b.apply_many(op, [n, x, h, n, w], [tensor(None, None, None), tensor(None, None)])
    return infer(b.build(*made), {x: (6, 2, 3), h: (7, 2, 4), w: (3, 4)}), made, 0


@pytest.mark.parametrize("info", [COUNTS, LABELS])
def test_a_scan_keeps_its_buffers_and_stacks_its_steps(info: dict[str, object]) -> None:
    """By the counts of a live graph, and by the labels that a text prints."""
    table, (buffer, stacked), node = scan(info)
    assert (table.shape(buffer), table.shape(stacked)) == ((7, 2, 4), (6, 2))
    assert table.inner[node].shapes[0] == (2, 3)


def test_a_while_scan_is_bounded() -> None:
    """It may stop after any step."""
    table, made, _ = scan({**COUNTS, "as_while": True})
    assert set(made) <= table.bounded


def test_labels_that_do_not_add_up_are_given_up() -> None:
    """An input that is not printed would shift all others."""
    table, made, _ = scan({"labels": ["inner_in_sit_sot-0-0", "inner_in_non_seqs-0", "inner_in_non_seqs-0"]})
    assert "Scan" in reason_of(table.shape(made[1]))


def test_a_scan_without_links_is_unknown() -> None:
    """Nothing is guessed about it."""
    table, made, _ = scan({})
    assert all(isinstance(d, Unknown) for v in made for d in _dims(table.shape(v)))


def _dims(shape: Shape | Unknown) -> tuple[object, ...]:
    return (shape,) if isinstance(shape, Unknown) else shape


def test_a_graph_inside_of_an_op() -> None:
    """OpFromGraph: the inner outputs' shapes."""
    op = Op("OpFromGraph", "OpFromGraph{inline=False}", inner=step({}))
    assert shapes_of(op, [(2, 3), (2, 4), (3, 4)], [2, 1]) == [(2, 4), (2,)]


def test_a_graph_that_several_nodes_share() -> None:
    """Each has the shapes that it is given; one that gets an upper bound has a bound, though another gets the same length for sure."""
    inner = GraphBuilder()
    doubled = inner.apply(Op("Elemwise", "Mul"), [inner.argument("i0", tensor(None))], tensor(None))
    op = Op("OpFromGraph", "OpFromGraph{inline=False}", inner=inner.build(doubled))
    b = GraphBuilder()
    x, y = b.argument("x", tensor(None)), b.argument("y", tensor(None))
    (found,) = b.apply_many(Op("Nonzero", "Nonzero"), [x], [tensor(None, dtype="int64")])
    rows = [b.apply(op, [v], tensor(None)) for v in (x, found, y, x)]
    table = infer(b.build(*rows), {x: (4,), y: (5,)})
    assert [table.shape(v) for v in rows] == [(4,), (4,), (5,), (4,)]
    assert [v in table.bounded for v in rows] == [False, True, False, False]
    assert set(table.inner) == {1, 2, 3, 4}


def test_inner_inputs_that_are_not_used_are_not_printed() -> None:
    """PyTensor numbers the others, which tells which outer inputs they are."""
    inner = GraphBuilder()
    first, third = inner.argument("i0", tensor(None, None)), inner.argument("i2", tensor(None))
    made = inner.apply(Op("Elemwise", "Add"), [first, third], tensor(None, None))
    op = Op("FusedElemwise", "FusedElemwise{Mul}", inner=inner.build(made))
    assert shapes_of(op, [(1, 3), (7, 7), (3,)], [2]) == [(1, 3)]
    assert shapes_of(op, [(5, 1), (7, 7), (3,)], [2]) == [(5, 3)]


@pytest.mark.parametrize(("width", "like"), [(2, 2), ((1, 2), (1, 2)), (((1, 2), (3, 4)),) * 2, (((1,), (3,)),) * 2])
def test_a_pad_is_longer_by_its_widths(width: Any, like: Any) -> None:
    """One number, a pair for all dimensions, or a pair for each; as an input, or as PyTensor 3.3 prints them."""
    expected = np.pad(np.ones((4, 5)), like).shape
    b = GraphBuilder()
    x, by = b.argument("x", tensor(None, None)), b.constant(tensor(*np.shape(width), dtype="int64"), width)
    made = b.apply(Op("Pad", "Pad{inline=False}"), [x, by], tensor(None, None))
    assert infer(b.build(made), {x: (4, 5)}).shape(made) == expected
    static = {"static_pad_width": np.broadcast_to(np.array(width), (2, 2)).tolist()}
    assert shape_of("Pad", [(4, 5), Sized(np.shape(width), "int64")], 2, static) == expected


def test_a_known_branch_is_taken() -> None:
    """The condition's value decides."""
    assert shape_of("IfElse", [Known(1), (2, 3), (5, 3)], 2) == (2, 3)
    assert shape_of("IfElse", [Known(0), (2, 3), (5, 3)], 2) == (5, 3)


def test_an_unknown_branch_is_bounded_by_the_larger_one() -> None:
    """Dimension by dimension."""
    assert shape_of("IfElse", [Sized((), "int64"), (2, 3), (5, 1)], 2) == (5, 3)


RANDOM = Type(TypeKind.RANDOM, None, (), "RandomGeneratorType")
NONE = Type(TypeKind.OTHER, None, (), "NoneTypeT")


def drawn(name: str, signature: str, size: tuple[int, ...] | None, parameters: list[tuple[int, ...]], ndim: int) -> Shape | Unknown:
    """The shape of a draw."""
    b = GraphBuilder()
    generator = b.argument("rng", RANDOM)
    asked = b.argument("none", NONE) if size is None else b.constant(tensor(len(size), dtype="int64"), size)
    rest = [b.argument(f"p{k}", tensor(*[None] * len(p))) for k, p in enumerate(parameters)]
    op = Op(name, name, params={"signature": signature})
    _, made = b.apply_many(op, [generator, asked, *rest], [RANDOM, tensor(*[None] * ndim)])
    return infer(b.build(made), dict(zip(rest, parameters))).shape(made)


def test_draws_have_the_size_that_is_asked_for() -> None:
    """Else that of their parameters."""
    assert drawn("NormalRV", "(),()->()", (3, 4), [(), ()], 2) == (3, 4)
    assert drawn("NormalRV", "(),()->()", None, [(3, 1), (4,)], 2) == (3, 4)
    assert drawn("DirichletRV", "(a)->(a)", (2,), [(5,)], 2) == (2, 5)


def test_a_permutation_is_as_large_as_what_it_permutes() -> None:
    """Of all dimensions, or (Aesara) of the last one."""
    assert drawn("PermutationRV", "(x0)->(x0)", None, [(6,)], 1) == (6,)
    assert drawn("PermutationRV", "(x0,x1)->(x0,x1)", None, [(4, 3)], 2) == (4, 3)
    assert drawn("PermutationRV", "(x)->(x)", None, [(4, 3)], 2) == (4, 3)


def test_a_draw_of_vectors_of_a_strange_kind_is_unknown() -> None:
    """Only some distributions take their last dimension from a parameter."""
    assert "StrangeRV" in reason_of(drawn("StrangeRV", "(a)->(b)", None, [(5,)], 1))
