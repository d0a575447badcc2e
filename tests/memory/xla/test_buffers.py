"""Temporaries by hand: what shares memory, what lies where a result will be, what is never written."""

from __future__ import annotations

from random import Random

import pytest

from theanodiag.ir import Apply, FunctionGraph, GraphInput, Op, Shape, ShapeTable, Type, TypeKind, Variable
from theanodiag.memory.xla.bound import ALLOWANCE, SMALL, bound
from theanodiag.memory.xla.buffers import ALIGNED, AT_ONCE, Block, Order, columns, temporaries
from theanodiag.memory.xla.fusion import plan_on_cpu, plan_on_gpu

MATRIX = Type(TypeKind.TENSOR, "float32", (None, None))
SIZE = 1 << 20
LOOPS = ("Exp", "Neg", "Add", "Sigmoid", "Softplus")
"""Element-wise Ops, by what they compute."""


def chain(*rows: tuple[str, tuple[int, ...]], outputs: tuple[int, ...]) -> FunctionGraph:
    """A graph of one argument, Variable 0; node n reads the Variables given and makes Variable n + 1."""
    nodes = tuple(Apply(n, Op("Elemwise" if name in LOOPS else name, name), ins, (n + 1,)) for n, (name, ins) in enumerate(rows))
    made = tuple(Variable(n + 1, MATRIX, None, n) for n in range(len(nodes)))
    return FunctionGraph("f", (GraphInput(0),), outputs, (Variable(0, MATRIX, "x"), *made), nodes)


def needed(graph: FunctionGraph, *, on_gpu: bool = False) -> int:
    """Its temporaries where every Variable has `SIZE` bytes."""
    plan = (plan_on_gpu if on_gpu else plan_on_cpu)(graph, lambda v: SIZE // 4)
    return temporaries(graph, lambda v: SIZE, {}, (), lambda node, v: 0, plan)


@pytest.mark.parametrize("on_gpu", [False, True])
def test_what_one_loop_reads_is_never_written(on_gpu: bool) -> None:
    """An element-wise value with one element-wise reader."""
    assert needed(chain(("Elemwise", (0,)), ("Elemwise", (1,)), outputs=(2,)), on_gpu=on_gpu) == 0


def test_a_result_takes_the_place_of_a_value_that_nothing_else_reads() -> None:
    """The other operand lies elsewhere."""
    assert needed(chain(("Sort", (0,)), ("Sort", (1,)), ("Elemwise", (1, 2)), outputs=(3,))) == SIZE + ALIGNED


@pytest.mark.parametrize(("op", "is_written"), [("Exp", True), ("Neg", False)])
def test_only_what_is_cheap_is_computed_in_several_loops(op: str, is_written: bool) -> None:
    """An expensive function is computed once, and its value written."""
    plan = plan_on_cpu(chain((op, (0,)), ("Elemwise", (1,)), ("Elemwise", (1,)), ("Join", (2, 3)), outputs=(4,)), lambda v: SIZE)
    assert (1 not in plan.unwritten) == is_written
    assert plan.readers[0] == (1 << 0 if is_written else 1 << 1 | 1 << 2)


def test_what_depends_on_arguments_alone_may_come_first() -> None:
    """The last sort may be the first that runs: its value is there beside two of the other branch."""
    graph = chain(("Sort", (0,)), ("Sort", (1,)), ("Sort", (2,)), ("Sort", (0,)), ("Join", (3, 4)), outputs=(5,))
    assert needed(graph) == 3 * (SIZE + ALIGNED)


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
    """Arguments and results as JAX has them; temporaries with allowances for gaps and for small things."""
    graph = chain(("SortOp", (0,)), ("SortOp", (0,)), ("Join", (1, 2)), outputs=(3,))
    shape: Shape = (512, 512)
    of = bound(graph, ShapeTable(dict.fromkeys(range(4), shape)), "float32").figures
    assert (of.argument_bytes, of.output_bytes) == (SIZE, SIZE)
    assert of.temporary_bytes == SMALL + int(2 * (SIZE + ALIGNED) * ALLOWANCE)


def test_columns_of_more_rows_than_are_taken_at_once() -> None:
    """Bit r of column c is bit c of row r."""
    random = Random(1)
    rows = [random.getrandbits(70) for _ in range(AT_ONCE + 3)]
    assert columns(rows, 70) == [sum((row >> c & 1) << r for r, row in enumerate(rows)) for c in range(70)]
    assert columns([], 3) == [0, 0, 0]


@pytest.mark.parametrize("seed", range(20))
def test_blocks_that_clash_are_those_that_are_not_apart(seed: int) -> None:
    """In random graphs: what is found for all blocks together is what each pair says."""
    random = Random(seed)
    count = random.randrange(2, 40)
    rows = [("Exp", tuple(random.sample(range(n + 1), min(n + 1, random.randrange(1, 4))))) for n in range(count)]
    order = Order(chain(*rows, outputs=(count,)))
    writers = [random.randrange(count) for _ in range(random.randrange(30))]
    later = [random.getrandbits(count) & random.getrandbits(count) & ~((1 << w) - 1) for w in writers]
    blocks = [Block(1, order.before[w], w, more | 1 << w) for w, more in zip(writers, later)]
    pairs = [sum(1 << k for k, b in enumerate(blocks) if not order.apart(a, b)) for a in blocks]
    assert order.clashes(blocks) == pairs
