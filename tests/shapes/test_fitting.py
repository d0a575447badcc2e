"""Whether the shapes of a call fit together."""

from __future__ import annotations

import pytest

from theanodiag.ir import Apply, FunctionGraph, Op, ShapeTable, Site, Type, TypeKind, Unknown, Variable
from theanodiag.ir.shape import Shape
from theanodiag.shapes.fitting import contradictions


def said(op: str, *shapes: Shape | Unknown, broadcast: tuple[int, ...] = ()) -> list[str]:
    """What is said of one node with inputs of these shapes; the inputs in `broadcast` are so along their first axis."""
    ranks = [2 if isinstance(s, Unknown) else len(s) for s in shapes]
    static = [(1 if i in broadcast else None, *[None] * (r - 1)) if r else () for i, r in enumerate(ranks)]
    inputs = tuple(Variable(i, Type(TypeKind.TENSOR, "float32", s)) for i, s in enumerate(static))
    out = Variable(len(inputs), Type(TypeKind.TENSOR, "float32"), None, 0, Site("m.py", 3, None, "z = x"))
    node = Apply(0, Op(op, op), tuple(v.id for v in inputs), (out.id,))
    graph = FunctionGraph("f", (), (out.id,), (*inputs, out), (node,))
    return list(contradictions(graph, ShapeTable(dict(enumerate(shapes)))))


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


def test_elementwise_lengths_differ() -> None:
    """Two lengths along one dimension contradict each other, unless one is broadcast."""
    assert said("Elemwise", (7, 8), (6, 8)) == ["Elemwise (m.py:3: z = x) of (7, 8) and (6, 8)"]
    assert said("Elemwise", (7, 8), (1, 8), broadcast=(1,)) == []
