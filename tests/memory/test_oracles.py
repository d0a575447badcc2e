"""Order, lifetimes and aliasing against the plainest programs that say the same: recursion, sets, and searches from end to end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from tests.ir.graphs import respects_dependencies
from theanodiag.ir import FunctionGraph
from theanodiag.memory.execution_plan import (
    alias_sets,
    aliased_inputs,
    depth_first_order,
    dropped_after,
    dropped_at_end,
    execution_order,
    may_share_memory,
)
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate

from .graphs import EXACT, INPLACE, PLAIN, VIEW, Sketch, random_sketches

Made = tuple[Sketch, list[int]]


def by_recursion(graph: FunctionGraph) -> tuple[int, ...]:
    """The CVM's order as one would tell it: first what must come before, then the inputs, then the node."""
    order: list[int] = []

    def run(node: int | None) -> None:
        if node is not None and node not in order:
            for earlier in graph.applies[node].after:
                run(earlier)
            for variable in graph.applies[node].inputs:
                run(graph.variables[variable].owner)
            order.append(node)

    for output in graph.outputs:
        run(graph.variables[output].owner)
    return tuple(order)


@st.composite
def with_orderings(draw: st.DrawFn) -> FunctionGraph:
    """A random graph in which some nodes must come after earlier ones."""
    sketch, outputs = draw(random_sketches())
    graph = sketch.graph(outputs)
    nodes = [
        replace(node, after=tuple(draw(st.lists(st.integers(0, node.id - 1), max_size=2, unique=True)))) if node.id else node
        for node in graph.applies
    ]
    return replace(graph, applies=tuple(nodes))


@hypothesis(deadline=None)
@given(with_orderings())
def test_the_order_is_that_of_plain_recursion(graph: FunctionGraph) -> None:
    """On random graphs with nodes that must wait for others."""
    order = depth_first_order(graph)
    assert order == by_recursion(graph)
    assert respects_dependencies(graph, order)


@hypothesis(deadline=None)
@given(with_orderings())
def test_a_second_visit_changes_nothing(graph: FunctionGraph) -> None:
    """An output that is asked for twice runs once."""
    doubled = replace(graph, outputs=(*graph.outputs, *graph.outputs))
    assert depth_first_order(doubled) == depth_first_order(graph)


@pytest.mark.parametrize("linker", ["c|py", "py", "c", "vm", "vm_nogc", "jax", "numba", "pytorch"])
def test_other_linkers_run_in_the_listed_order(linker: str) -> None:
    """Whatever the outputs ask for first."""
    s = Sketch()
    x = s.shared((1, 1))
    (a,), (b,) = s.apply(PLAIN, [x], (1, 1)), s.apply(PLAIN, [x], (1, 1))
    assert execution_order(s.graph([b, a]), linker) == (0, 1)
    assert execution_order(s.graph([b, a]), "cvm_nogc") == (1, 0)


def test_an_input_that_is_returned_needs_no_node() -> None:
    """Nothing runs."""
    s = Sketch()
    assert execution_order(s.graph([s.shared((1, 1))])) == ()


def connected(graph: FunctionGraph, start: int) -> set[int]:
    """All that can be reached over pairs of Variables that alias each other."""
    pairs = [(out, i) for node in graph.applies for k, out in enumerate(node.outputs) for i in aliased_inputs(node, k)]
    found = {start}
    while True:
        more = {b for a, b in pairs if a in found} | {a for a, b in pairs if b in found}
        if more <= found:
            return found
        found |= more


@hypothesis(deadline=None)
@given(random_sketches())
def test_what_may_share_memory_is_all_that_is_connected(made: Made) -> None:
    """On random graphs, for every Variable."""
    graph = made[0].graph(made[1])
    for v in range(len(graph.variables)):
        assert may_share_memory(graph, [v]) == connected(graph, v)


@hypothesis(deadline=None)
@given(random_sketches())
def test_an_alias_set_is_called_after_what_has_the_memory(made: Made) -> None:
    """On random graphs: the one that stands for a set is in no other set, and is not made from anything."""
    graph = made[0].graph(made[1])
    sets = alias_sets(graph)
    assert not set(sets.values()) & set(sets)
    for member, base in sets.items():
        assert member in connected(graph, base)


def test_an_output_may_be_in_both_maps() -> None:
    """It views the first input and overwrites the second."""
    s = Sketch()
    a, b = s.shared((1, 1)), s.shared((1, 1))
    s.apply(replace(VIEW, destroy_map={0: (1,)}), [a, b], (1, 1))
    assert aliased_inputs(s.applies[0], 0) == (a, b)
    assert may_share_memory(s.graph([2]), [a]) == {0, 1, 2}


@hypothesis(deadline=None)
@given(random_sketches())
def test_nothing_is_dropped_before_its_last_reader(made: Made) -> None:
    """On random graphs: no node reads a cell that was emptied, and none is emptied twice."""
    graph = made[0].graph(made[1])
    order = execution_order(graph)
    gone: list[int] = []
    for node, dropped in zip(order, dropped_after(graph, order)):
        assert not set(graph.applies[node].inputs) & set(gone)
        gone += dropped
    assert len(set(gone)) == len(gone)


@hypothesis(deadline=None)
@given(random_sketches())
def test_at_the_end_goes_what_did_not_go_before(made: Made) -> None:
    """On random graphs: all that was made, less what was dropped and what is returned."""
    graph = made[0].graph(made[1])
    order = execution_order(graph)
    ran = {v for node in order for v in graph.applies[node].outputs}
    early = {v for row in dropped_after(graph, order) for v in row}
    assert set(dropped_at_end(graph, order)) == ran - early - set(graph.outputs)


def needed_at_once(sketch: Sketch, outputs: list[int]) -> list[int]:
    """For each step the bytes that no machine can do without: what the node reads and makes, and the shared variables."""
    graph = sketch.graph(outputs)
    base = alias_sets(graph)
    shared = {i.variable for i in graph.inputs}
    rows = []
    for node in execution_order(graph):
        there = {base.get(v, v) for v in (*graph.applies[node].inputs, *graph.applies[node].outputs)} | shared
        rows.append(sum(sketch.shapes[v][0] * 16 for v in there))
    return rows


@hypothesis(deadline=None)
@given(random_sketches())
def test_the_peak_is_never_below_what_one_step_needs(made: Made) -> None:
    """On random graphs: every step of the timeline has at least what its node reads and makes."""
    profile = simulate(made[0].script(made[1]), EXACT).functions[0]
    steps = [t.live_bytes for t in profile.timeline if t.node is not None]
    assert all(have >= need for have, need in zip(steps, needed_at_once(*made)))


@hypothesis(deadline=None)
@given(random_sketches())
def test_the_peak_is_never_above_everything_at_once(made: Made) -> None:
    """On random graphs: no more than every array that is made, once."""
    sketch, outputs = made
    aliases = alias_sets(sketch.graph(outputs))
    everything = sum(shape[0] * 16 for v, shape in sketch.shapes.items() if v not in aliases)
    assert simulate(sketch.script(outputs), EXACT).live_peak_bytes <= everything


@hypothesis(deadline=None, max_examples=50)
@given(random_sketches())
def test_rounding_adds_less_than_64_bytes_a_buffer(made: Made) -> None:
    """On random graphs: what the cache holds at the peak is the exact size of the same buffers, rounded up one by one."""
    profile = simulate(made[0].script(made[1]), MemorySettings()).functions[0]
    assert all(v.nbytes % 64 == 0 for v in profile.at_peak)
    assert all(0 <= v.nbytes - v.shape[0] * 16 < 64 for v in profile.at_peak if isinstance(v.shape, tuple))  # type: ignore[operator]


@hypothesis(deadline=None, max_examples=50)
@given(random_sketches(), st.integers(2, 9))
def test_larger_arrays_never_need_less(made: Made, factor: int) -> None:
    """On random graphs: every size times n is the peak times n."""
    sketch, outputs = made
    before = simulate(sketch.script(outputs), EXACT).live_peak_bytes
    sketch.shapes = {v: (rows * factor, *rest) for v, (rows, *rest) in sketch.shapes.items()}
    assert simulate(sketch.script(outputs), EXACT).live_peak_bytes == before * factor


@pytest.mark.parametrize(
    ("ops", "rows"),
    [([PLAIN], 2), ([PLAIN, PLAIN], 3), ([PLAIN, INPLACE], 2), ([PLAIN, VIEW, INPLACE], 2), ([PLAIN] * 5, 3), ([PLAIN, INPLACE, PLAIN], 3)],
    ids=lambda v: "-".join(op.name for op in v) if isinstance(v, list) else str(v),
)
def test_chains_by_hand(ops: list[object], rows: int) -> None:
    """A shared row, and in a chain at most the node's input and output beside it."""
    s = Sketch()
    last = s.shared((1, 4))
    for op in ops:
        (last,) = s.apply(op, [last], (1, 4))  # type: ignore[arg-type]
    assert simulate(s.script([last]), EXACT).live_peak_bytes == rows * 16
