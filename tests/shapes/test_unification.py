"""Shapes of inputs that follow from others, and those that do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from theanodiag.ir import Op, Shape, Unknown
from theanodiag.ir.builder import GraphBuilder, tensor
from theanodiag.shapes.unification import completed

WHOLE: dict[str, object] = {"slice": [None, None, None]}
CASES: list[tuple[str, dict[str, object], list[int], int, list[Shape | None], list[Shape]]] = [
    # op, params, dimensions of the inputs, and of the output, what is given, what all are then (0 for what does not follow)
    ("Elemwise", {}, [2, 2, 2], 2, [(3, 4), None, None], [(3, 4), (3, 4), (3, 4)]),
    ("GpuElemwise", {}, [1, 1], 1, [None, (7,)], [(7,), (7,)]),
    ("Dot22", {}, [2, 2], 2, [(3, 4), None], [(3, 4), (4, 0)]),
    ("Dot", {}, [1, 2], 1, [None, (4, 5)], [(4,), (4, 5)]),
    ("Dot", {}, [2, 1], 1, [None, (4,)], [(0, 4), (4,)]),
    ("Gemm", {}, [2, 0, 2, 2, 0], 2, [(3, 5), (), (3, 4), None, ()], [(3, 5), (), (3, 4), (4, 5), ()]),
    ("Gemv", {}, [1, 0, 2, 1, 0], 1, [None, (), (3, 4), None, ()], [(3,), (), (3, 4), (4,), ()]),
    ("Ger", {}, [2, 0, 1, 1], 2, [(3, 4), (), None, None], [(3, 4), (), (3,), (4,)]),
    ("BatchedDot", {}, [3, 3], 3, [(2, 3, 4), None], [(2, 3, 4), (2, 4, 0)]),
    ("AdvancedSubtensor1", {}, [2, 1], 2, [(9, 4), None], [(9, 4), (0,)]),
    ("Join", {"axis": 0}, [2, 2], 2, [(3, 4), None], [(3, 4), (0, 4)]),
    ("Solve", {}, [2, 2], 2, [None, (4, 5)], [(4, 4), (4, 5)]),
    ("Cholesky", {}, [2], 2, [None], [(0, 0)]),
    ("CrossentropySoftmaxArgmax1HotWithBias", {}, [2, 1, 1], 1, [(8, 3), None, None], [(8, 3), (3,), (8,)]),
    ("Subtensor", {"idx_list": [{"slice": [1, None, None]}]}, [1], 1, [None], [(0,)]),
    ("Blockwise", {"signature": "(m,n),(n,p)->(m,p)"}, [3, 3], 3, [(2, 3, 4), None], [(2, 3, 4), (0, 4, 0)]),
]


def told(found: Shape | Unknown) -> Shape:
    """A shape with 0 for what is not known."""
    assert not isinstance(found, Unknown)
    return tuple(0 if isinstance(d, Unknown) else d for d in found)


@pytest.mark.parametrize(("op", "params", "ranks", "out", "given", "then"), CASES, ids=[f"{c[0]}{i}" for i, c in enumerate(CASES)])
def test_one_node(
    op: str, params: Mapping[str, object], ranks: Sequence[int], out: int, given: Sequence[Shape | None], then: Sequence[Shape]
) -> None:
    """What its operands say of each other."""
    b = GraphBuilder()
    inputs = [b.argument(f"x{i}", tensor(*[None] * rank)) for i, rank in enumerate(ranks)]
    made = b.apply(Op(op, op, params=dict(params)), inputs, tensor(*[None] * out))
    table = completed(b.build(made), {v: s for v, s in zip(inputs, given) if s is not None})
    assert [told(table.shape(v)) for v in inputs] == then


def chain(*steps: tuple[str, Mapping[str, object], int], other: Shape, rank: int = 1) -> Shape:
    """The shape of an input that goes through `steps` and is then added to an array of the shape `other`."""
    b = GraphBuilder()
    x, y = b.argument("x", tensor(*[None] * rank)), b.argument("y", tensor(*[None] * len(other)))
    here = x
    for op, params, out in steps:
        here = b.apply(Op(op, op, params=dict(params)), [here], tensor(*[None] * out))
    made = b.apply(Op("Elemwise", "Elemwise{add}"), [here, y], tensor(*[None] * len(other)))
    return told(completed(b.build(made), {y: other}).shape(x))


def test_through_what_only_moves_dimensions() -> None:
    """Turned, with one dimension summed, copied, and a part of which all is taken."""
    turned = ("DimShuffle", {"new_order": [1, 0]}, 2)
    assert chain(turned, ("Sum", {"axis": [0]}, 1), other=(5,), rank=2) == (5, 0)
    assert chain(turned, ("DeepCopyOp", {}, 2), ("Subtensor", {"idx_list": [0]}, 1), other=(5,), rank=2) == (5, 0)
    assert chain(turned, ("Subtensor", {"idx_list": [WHOLE, 0]}, 1), other=(5,), rank=2) == (0, 5)


@pytest.mark.parametrize("entry", [[1, None, None], [None, 5, None], [None, None, 2], [-5, None, None]])
def test_a_part_says_nothing_of_the_whole(entry: list[int | None]) -> None:
    """Neither one more nor one as long."""
    assert chain(("Subtensor", {"idx_list": [{"slice": entry}]}, 1), other=(5,)) == (0,)


def test_a_length_of_one_says_nothing() -> None:
    """A version that broadcasts when it computes may stretch it; by its type it is stretched anyway."""
    assert chain(other=(1,)) == (0,)
    b = GraphBuilder()
    x, row = b.argument("x", tensor(None, None)), b.argument("row", tensor(1, None))
    made = b.apply(Op("Elemwise", "Elemwise{add}"), [x, row], tensor(None, None))
    assert told(completed(b.build(made), {x: (3, 4)}).shape(row)) == (1, 4)
    assert told(completed(b.build(made), {row: (1, 4)}).shape(x)) == (0, 4)


def test_a_contradiction_says_nothing() -> None:
    """Two lengths for one dimension are for `contradictions` to tell."""
    b = GraphBuilder()
    x, y, z = (b.argument(n, tensor(None)) for n in "xyz")
    made = b.apply(Op("Elemwise", "Elemwise{add}"), [x, y, z], tensor(None))
    assert told(completed(b.build(made), {x: (3,), y: (4,)}).shape(z)) == (0,)


def test_nothing_follows_in_a_graph_of_aesara() -> None:
    """It stretches lengths of 1 when it computes."""
    b = GraphBuilder()
    x, y = b.argument("x", tensor(None)), b.argument("y", tensor(None))
    made = b.apply(Op("Elemwise", "Elemwise{add}", module="aesara.tensor.elemwise"), [x, y], tensor(None))
    assert told(completed(b.build(made), {x: (3,)}).shape(y)) == (0,)


def fused(inputs: int, used: Sequence[int]) -> Op:
    """A loop that adds those of its inputs which are `used`, and sums the columns beside it; what it does not use is not printed."""
    b = GraphBuilder()
    parts = [b.argument(f"i{k}", tensor(None, None)) for k in used]
    added = b.apply(Op("Elemwise", "Elemwise{add}"), parts, tensor(None, None))
    columns = b.apply(Op("Sum", "Sum", params={"axis": [0]}), [added], tensor(None))
    return Op("FusedElemwise", f"FusedElemwise{inputs}", inner=b.build(added, columns))


@pytest.mark.parametrize(("used", "known"), [([0, 1, 2], [(3, 4)] * 3), ([0, 2], [(3, 4), (0, 0), (3, 4)])])
def test_through_the_graph_inside_of_a_node(used: Sequence[int], known: Sequence[Shape]) -> None:
    """What it adds has one shape, and what is summed of it one dimension less: forwards and backwards, for each node that has the graph."""
    b = GraphBuilder()
    op = fused(3, used)
    rows = [[b.argument(f"x{n}{k}", tensor(None, None)) for k in range(3)] for n in range(2)]
    v = b.argument("v", tensor(None))
    (_, first), (made, _) = (b.apply_many(op, row, [tensor(None, None), tensor(None)]) for row in rows)
    table = completed(b.build(b.apply(Op("Elemwise", "Elemwise{add}"), [first, v], tensor(None)), made), {rows[0][0]: (3, 4), made: (3, 4)})
    assert [told(table.shape(x)) for x in rows[0]] == known
    assert [told(table.shape(x)) for x in rows[1]] == known
    assert told(table.shape(v)) == (4,)


def test_what_follows_says_more() -> None:
    """The length of one input makes the size of what is computed from it, which another is added to."""
    b = GraphBuilder()
    x, y, z = (b.argument(n, tensor(None)) for n in "xyz")
    both = b.apply(Op("Elemwise", "Elemwise{add}"), [x, y], tensor(None))
    twice = b.apply(Op("Join", "Join", params={"axis": 0}), [y, y], tensor(None))
    more = b.apply(Op("Elemwise", "Elemwise{mul}"), [twice, z], tensor(None))
    table = completed(b.build(both, more), {x: (3,)})
    assert (told(table.shape(y)), told(table.shape(z))) == ((3,), (6,))
