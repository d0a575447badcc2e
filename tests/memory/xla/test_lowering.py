"""A graph as XLA gets it: in pairs, nothing twice, inner graphs in the place of their nodes."""

from __future__ import annotations

from theanodiag.ir import Apply, FunctionGraph, GraphInput, Op, Shape, ShapeTable, Type, TypeKind, Variable
from theanodiag.memory.xla.bound import lowered

MATRIX = Type(TypeKind.TENSOR, "float32", (None, None))
SHAPE: Shape = (400, 300)


def graph(arguments: int, *rows: tuple[Op, tuple[int, ...]], outputs: tuple[int, ...]) -> tuple[FunctionGraph, ShapeTable]:
    """A graph of matrices: the arguments are Variables 0, 1 ..., and each node makes the next one."""
    nodes = tuple(Apply(n, op, ins, (arguments + n,)) for n, (op, ins) in enumerate(rows))
    given = tuple(Variable(n, MATRIX, f"x{n}") for n in range(arguments))
    made = tuple(Variable(arguments + n, MATRIX, None, n) for n in range(len(nodes)))
    inputs = tuple(GraphInput(n) for n in range(arguments))
    return FunctionGraph("f", inputs, outputs, (*given, *made), nodes), ShapeTable(dict.fromkeys(range(arguments + len(rows)), SHAPE))


def loop(text: str) -> Op:
    """An element-wise Op."""
    return Op("Elemwise", text)


def texts(of: FunctionGraph) -> list[str]:
    """What the nodes compute."""
    return [node.op.text for node in of.applies]


def test_sums_of_several_are_made_in_pairs_and_what_two_begin_with_is_made_once() -> None:
    """x0 + x1 is in both."""
    found, table = lowered(*graph(3, (loop("Add"), (0, 1, 2)), (loop("Add"), (0, 1, 1)), (Op("Join", "Join"), (3, 4)), outputs=(5,)))
    assert texts(found) == ["Add", "Add", "Add", "Join"]
    assert all(len(node.inputs) == 2 for node in found.applies)
    assert all(table.shape(node.outputs[0]) == SHAPE for node in found.applies)


def test_a_sigmoid_and_a_softplus_share_a_power() -> None:
    """That of the negated operand."""
    found, _ = lowered(*graph(1, (loop("Sigmoid"), (0,)), (loop("Softplus"), (0,)), (Op("Join", "Join"), (1, 2)), outputs=(3,)))
    assert sorted(texts(found)).count("Exp") == 2
    assert texts(found).count("Neg") == 1


def test_an_inner_graph_stands_in_the_place_of_its_node() -> None:
    """With the operands and results of the node."""
    inner, table = graph(1, (loop("Exp"), (0,)), (loop("Neg"), (1,)), outputs=(2,))
    outer, shapes = graph(1, (Op("OpFromGraph", "OpFromGraph", inner=inner), (0,)), (Op("SortOp", "SortOp"), (1,)), outputs=(2,))
    found, _ = lowered(outer, ShapeTable(shapes.shapes, inner={0: table}))
    assert texts(found) == ["Exp", "Neg", "SortOp"]
    assert found.applies[0].inputs == (0,)
    assert found.applies[1].outputs == found.applies[2].inputs


def test_a_result_keeps_its_number() -> None:
    """What stands for a result is that Variable."""
    found, _ = lowered(*graph(2, (loop("Add"), (0, 1, 1)), (loop("Sigmoid"), (0,)), outputs=(2, 3)))
    assert {2, 3} <= {v for node in found.applies for v in node.outputs}
