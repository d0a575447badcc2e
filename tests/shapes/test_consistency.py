"""Whether the shapes of a call fit together."""

from __future__ import annotations

import pytest

from theanodiag.ir import Apply, FunctionGraph, Op, ShapeTable, Site, Type, TypeKind, Unknown, Variable
from theanodiag.ir.builder import GraphBuilder, tensor
from theanodiag.ir.shape import Shape
from theanodiag.shapes.consistency import contradictions


def said(
    op: str,
    *shapes: Shape | Unknown,
    broadcast: tuple[int, ...] = (),
    bounded: tuple[int, ...] = (),
    module: str = "",
    at_run_time: bool = False,
) -> list[str]:
    """What is said of one node with inputs of these shapes; the inputs in `broadcast` are so along their first axis."""
    ranks = [2 if isinstance(s, Unknown) else len(s) for s in shapes]
    static = [(1 if i in broadcast else None, *[None] * (r - 1)) if r else () for i, r in enumerate(ranks)]
    inputs = tuple(Variable(i, Type(TypeKind.TENSOR, "float32", s)) for i, s in enumerate(static))
    out = Variable(len(inputs), Type(TypeKind.TENSOR, "float32"), None, 0, Site("m.py", 3, None, "z = x"))
    node = Apply(0, Op(op, op, module), tuple(v.id for v in inputs), (out.id,))
    graph = FunctionGraph("f", (), (out.id,), (*inputs, out), (node,))
    return list(contradictions(graph, ShapeTable(dict(enumerate(shapes)), bounded=frozenset(bounded)), at_run_time))


@pytest.mark.parametrize("op", ["Dot", "Dot22", "GpuDot22"])
def test_product_of_shapes_that_do_not_fit(op: str) -> None:
    """The columns of the first factor are the rows of the second."""
    assert said(op, (7, 21), (20, 8)) == [f"{op} (m.py:3: z = x) of (7, 21) and (20, 8)"]


@pytest.mark.parametrize(
    ("op", "shapes"),
    [
        ("Dot", ((7, 20), (20, 8))),
        ("Dot", ((20,), (20, 8))),
        ("Dot", ((7, 20), (20,))),
        ("Dot", ((), (20,))),
        ("Dot22", ((7, Unknown("?")), (20, 8))),
        ("Dot22", (Unknown("?"), (20, 8))),
        ("Gemm", ((7, 8), (), (7, 20), (20, 8), ())),
        ("Elemwise", ((7, 8), (7, 8), ())),
        ("Elemwise", ((7, Unknown("?")), (7, 8))),
        ("Join", ((), (7, 8), (9, 8))),
    ],
)
def test_silent_where_nothing_contradicts(op: str, shapes: tuple[Shape | Unknown, ...]) -> None:
    """Shapes that fit, that are unknown, or of ops that allow it."""
    assert said(op, *shapes) == []


def test_factors_of_gemm_are_told() -> None:
    """Of Gemm's inputs the two factors are compared and shown."""
    assert said("Gemm", (7, 8), (), (7, 20), (21, 8), ()) == ["Gemm (m.py:3: z = x) of (7, 20) and (21, 8)"]


def test_what_is_added_to_a_product_has_its_shape() -> None:
    """Theano compares it when it computes."""
    assert said("GpuGemv", (60,), (), (30, 5), (5,), ()) == ["GpuGemv (m.py:3: z = x) of (60,) and (30, 5) and (5,)"]
    assert said("Gemm", (7, 9), (), (7, 20), (20, 8), ()) == ["Gemm (m.py:3: z = x) of (7, 9) and (7, 20) and (20, 8)"]
    assert said("Gemv", (30,), (), (30, 5), (5,), ()) == []


def test_elementwise_lengths_differ() -> None:
    """Two lengths along one dimension contradict each other, unless one is broadcast."""
    assert said("Elemwise", (7, 8), (6, 8)) == ["Elemwise (m.py:3: z = x) of (7, 8) and (6, 8)"]
    assert said("Elemwise", (7, 8), (1, 8), broadcast=(1,)) == []


@pytest.mark.parametrize(("op", "shapes"), [("Elemwise", ((16,), (8,))), ("Elemwise", ((16,), (8,), (16,))), ("Dot", ((7, 21), (20, 8)))])
def test_upper_bounds_contradict_nothing(op: str, shapes: tuple[Shape, ...]) -> None:
    """What depends on data may be shorter than its bound."""
    assert said(op, *shapes, bounded=(1,)) == []
    assert said(op, *shapes, bounded=(0, 1)) == []


def test_exact_lengths_beside_a_bound_still_contradict() -> None:
    """... and is no excuse for the others."""
    assert said("Elemwise", (16,), (8,), (9,), bounded=(1,)) == ["Elemwise (m.py:3: z = x) of (16,) and (9,)"]


def test_aesara_broadcasts_when_it_computes() -> None:
    """A length of 1 fits every other, and nothing but 1 does; a captured graph tells by its Ops that it is Aesara's."""
    assert said("Elemwise", (5, 4), (1, 4)) != []
    assert said("Elemwise", (5, 4), (1, 4), module="pytensor.tensor.elemwise") != []
    assert said("Elemwise", (5, 4), (1, 4), module="aesara.tensor.elemwise") == []
    assert said("Elemwise", (5, 4), (1, 4), at_run_time=True) == []
    assert said("Elemwise", (5, 4), (2, 4), at_run_time=True) != []


def product(rows: int) -> FunctionGraph:
    """An inner graph of `dot(a, b)`; with it the shapes (4, 5) and (`rows`, 6)."""
    b = GraphBuilder("inner")
    x, y = b.argument("a", tensor(4, 5)), b.argument("b", tensor(rows, 6))
    return b.build(b.apply(Op("Dot", "Dot"), [x, y], tensor(4, 6)))


STEP = ShapeTable({0: (4, 5), 1: (3, 6), 2: (4, 6)})
"""Shapes of one step of `product(3)`, which do not fit together."""


def outer(name: str, steps: int | None = None, step: ShapeTable = STEP) -> list[str]:
    """What is said of a node with the inner graph `product(3)`; `steps` is the value of its first input."""
    b = GraphBuilder("f")
    n = b.argument("n", tensor(dtype="int64"))
    graph = b.build(b.apply(Op(name, name, inner=product(3)), [n], tensor(4, 6)))
    values = {} if steps is None else {n: steps}
    return list(contradictions(graph, ShapeTable({n: (), n + 1: (4, 6)}, values, {0: step})))


@pytest.mark.parametrize(
    ("name", "where"), [("Scan", "each step of Scan"), ("GpuScan", "each step of GpuScan"), ("OpFromGraph", "OpFromGraph")]
)
def test_inner_graphs_are_looked_into(name: str, where: str) -> None:
    """A product of a step that cannot work is named with where it is."""
    assert outer(name) == [f"Dot of (4, 5) and (3, 6), in {where}"]
    assert outer(name, step=ShapeTable({0: (4, 5), 1: (5, 6), 2: (4, 6)})) == []


def test_a_loop_without_steps_raises_nothing() -> None:
    """The inner graph does not run."""
    assert (outer("Scan", 0), len(outer("Scan", 1))) == ([], 1)


def branches(condition: int | None, inner: bool) -> list[str]:
    """What is said of `ifelse(condition, dot(a, b), c)` whose product cannot work: by IfElse, or by a LazyIfElse with an inner graph."""
    b = GraphBuilder("f")
    c = b.argument("c", tensor(dtype="int32"))
    x, y, z = b.argument("a", tensor(4, 5)), b.argument("b", tensor(3, 6)), b.argument("z", tensor(4, 6))
    values = {} if condition is None else {c: condition}
    if not inner:
        graph = b.build(b.apply(Op("IfElse", "if"), [c, b.apply(Op("Dot", "Dot"), [x, y], tensor(4, 6)), z], tensor(4, 6)))
        return list(contradictions(graph, ShapeTable(b.table().shapes, values)))
    i = GraphBuilder("branches")
    p, q, r = i.argument("i1", tensor(4, 5)), i.argument("i2", tensor(3, 6)), i.argument("i3", tensor(4, 6))
    both = i.build(i.apply(Op("Dot", "Dot"), [p, q], tensor(4, 6)), r)
    graph = b.build(b.apply(Op("LazyIfElse", "LazyIfElse", inner=both), [c, x, y, z], tensor(4, 6)))
    return list(contradictions(graph, ShapeTable(b.table().shapes, values, {0: i.table()})))


@pytest.mark.parametrize("inner", [False, True])
def test_the_branch_that_is_not_taken_contradicts_nothing(inner: bool) -> None:
    """A branch that is taken is an error, one that may be is said to be so."""
    assert branches(0, inner) == []
    (taken,) = branches(1, inner)
    assert taken.startswith("Dot of (4, 5) and (3, 6)")
    assert "if that branch" not in taken
    assert ["if that branch" in found for found in branches(None, inner)] == [True]


@pytest.mark.parametrize(("shape", "said"), [((6, 4), 0), ((3, 8), 0), ((5, 4), 1), ((None, 4), 0)])
def test_a_reshape_keeps_all_entries(shape: tuple[int | None, int], said: int) -> None:
    """Of 24 entries; a length that is not known contradicts nothing."""
    b = GraphBuilder("f")
    x = b.argument("x", tensor(2, 12))
    graph = b.build(b.apply(Op("Reshape", "Reshape{2}"), [x], tensor(*shape)))
    assert len(list(contradictions(graph, b.table()))) == said


@pytest.mark.parametrize(
    ("op", "shapes", "wrong"),
    [
        ("CrossentropySoftmaxArgmax1HotWithBias", ((8, 10), (10,), (8,)), False),
        ("CrossentropySoftmaxArgmax1HotWithBias", ((8, 10), (10,), (7,)), True),
        ("GpuCrossentropySoftmax1HotWithBiasDx", ((8,), (8, 10), (7,)), True),
        ("CrossentropyCategorical1Hot", ((8, 10), (7,)), True),
        ("CrossentropyCategorical1Hot", ((8, 10), (8,)), False),
    ],
)
def test_labels_are_as_many_as_rows(op: str, shapes: tuple[Shape, ...], wrong: bool) -> None:
    """Theano raises where they are not."""
    assert bool(said(op, *shapes)) is wrong


@pytest.mark.parametrize(
    ("op", "shapes", "wrong"),
    [
        ("GpuAdvancedSubtensor", ((864, 10), (864,), (1600,)), True),
        ("AdvancedSubtensor", ((8, 10), (8,), (8,)), False),
        ("AdvancedSubtensor", ((8, 10), (8,), (1,)), False),
        ("AdvancedSubtensor", ((8, 10), (8, 1), (7,)), False),
        ("AdvancedIncSubtensor", ((8, 10), (8,), (8,), (7,)), True),
    ],
)
def test_row_numbers_are_as_many_as_column_numbers(op: str, shapes: tuple[Shape, ...], wrong: bool) -> None:
    """`p[arange(n), y]`: NumPy raises, in Theano too; one number, and a column of numbers, are broadcast."""
    assert bool(said(op, *shapes)) is wrong


def test_a_mask_has_another_length() -> None:
    """As many numbers as are true."""
    b = GraphBuilder("f")
    x, mask, ids = b.argument("x", tensor(8, 10)), b.argument("m", tensor(8, dtype="bool")), b.argument("i", tensor(3, dtype="int64"))
    graph = b.build(b.apply(Op("AdvancedSubtensor", "AdvancedSubtensor"), [x, mask, ids], tensor(3)))
    assert list(contradictions(graph, b.table())) == []
