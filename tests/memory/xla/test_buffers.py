"""Temporaries by hand: what shares memory, what lies where a result will be, what is never written."""

from __future__ import annotations

from theanodiag.ir import Apply, FunctionGraph, GraphInput, Op, Shape, ShapeTable, Type, TypeKind, Variable
from theanodiag.memory.xla.bound import OTHER_ORDER, SMALL, bound
from theanodiag.memory.xla.buffers import ALIGNED, temporaries
from theanodiag.memory.xla.fusion import never_written

MATRIX = Type(TypeKind.TENSOR, "float32", (None, None))
SIZE = 1 << 20


def chain(*rows: tuple[str, tuple[int, ...]], outputs: tuple[int, ...]) -> FunctionGraph:
    """A graph of one argument, Variable 0; node n reads the Variables given and makes Variable n + 1."""
    nodes = tuple(Apply(n, Op(name, name), ins, (n + 1,)) for n, (name, ins) in enumerate(rows))
    made = tuple(Variable(n + 1, MATRIX, None, n) for n in range(len(nodes)))
    return FunctionGraph("f", (GraphInput(0),), outputs, (Variable(0, MATRIX, "x"), *made), nodes)


def needed(graph: FunctionGraph) -> int:
    """Its temporaries where every Variable has `SIZE` bytes."""
    return temporaries(graph, lambda v: SIZE, {}, never_written(graph, lambda v: SIZE))


def test_what_one_loop_reads_is_never_written() -> None:
    """An element-wise value with one element-wise reader."""
    assert needed(chain(("Elemwise", (0,)), ("Elemwise", (1,)), outputs=(2,))) == 0


def test_a_value_with_two_readers_lies_where_the_result_will_be() -> None:
    """The last loop that reads it writes the result in its place."""
    assert needed(chain(("Elemwise", (0,)), ("Sort", (1,)), ("Elemwise", (1, 2)), outputs=(3,))) == SIZE + ALIGNED


def test_an_early_value_lies_where_a_later_result_will_be() -> None:
    """A value that is no longer read when the result is written, though no loop puts the one in the place of the other."""
    graph = chain(("Sort", (0,)), ("Sort", (1,)), ("Sort", (2,)), outputs=(3,))
    assert needed(graph) == SIZE + ALIGNED


def test_values_that_are_live_at_once_add_up() -> None:
    """Two temporaries and a result that takes the place of neither."""
    graph = chain(("Sort", (0,)), ("Sort", (0,)), ("Join", (1, 2)), outputs=(3,))
    assert needed(graph) == 2 * (SIZE + ALIGNED)


def test_a_change_of_shape_is_no_memory() -> None:
    """A view keeps what it shows alive."""
    graph = chain(("Sort", (0,)), ("Reshape", (1,)), ("Sort", (0,)), ("Join", (2, 3)), outputs=(4,))
    assert needed(graph) == 2 * (SIZE + ALIGNED)


def test_the_bound_is_the_sum_with_its_allowances() -> None:
    """Arguments and results as JAX has them; temporaries with allowances for another order and for small things."""
    graph = chain(("SortOp", (0,)), ("SortOp", (0,)), ("Join", (1, 2)), outputs=(3,))
    shape: Shape = (512, 512)
    of = bound(graph, ShapeTable(dict.fromkeys(range(4), shape)), "float32").figures
    assert (of.argument_bytes, of.output_bytes) == (SIZE, SIZE)
    assert of.temporary_bytes == SMALL + int(2 * (SIZE + ALIGNED) * OTHER_ORDER)
