"""Which arrays elementwise ops overwrite on the device."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from tests.ir.graphs import respects_dependencies
from theanodiag.ir import Apply, FunctionGraph, Op
from theanodiag.ir.graph import verify
from theanodiag.memory.execution_plan import execution_order
from theanodiag.memory.gpu_lowering import Choice, in_place_again, sort

from .graphs import Sketch, random_sketches

PLUS = Op("GpuElemwise", "GpuElemwise{add}")
NODES = (Choice.FORWARD, Choice.BACKWARD)


def chosen(sketch: Sketch, outputs: list[int], choice: Choice = Choice.FORWARD) -> FunctionGraph:
    """The graph with all its choices made."""
    return sort(in_place_again(sketch.graph(outputs), choice))[0]


def overwritten(graph: FunctionGraph) -> list[int | None]:
    """Per node the Variable that it overwrites."""
    return [n.inputs[n.op.destroy_map[0][0]] if n.op.destroy_map else None for n in graph.applies]


def test_an_intermediate_is_overwritten() -> None:
    """The shared variable is not, its sum with itself is."""
    s = Sketch()
    (a,) = s.apply(PLUS, [s.shared((4, 4))], (4, 4))
    (b,) = s.apply(PLUS, [a], (4, 4))
    assert overwritten(chosen(s, [b])) == [None, a]


def test_a_result_is_not_overwritten() -> None:
    """The caller gets it."""
    s = Sketch()
    (a,) = s.apply(PLUS, [s.shared((4, 4))], (4, 4))
    (b,) = s.apply(PLUS, [a], (4, 4))
    assert overwritten(chosen(s, [a, b])) == [None, None]


def test_an_updated_variable_takes_its_new_value_in_place() -> None:
    """It comes before any other input that would do."""
    s = Sketch()
    w = s.shared((4, 4), update=0)
    (a,) = s.apply(PLUS, [w], (4, 4))
    (new,) = s.apply(PLUS, [a, w], (4, 4))
    assert overwritten(chosen(s, [new])) == [None, w]


@pytest.mark.parametrize(("choice", "expected"), [(Choice.FORWARD, 0), (Choice.BACKWARD, 1)])
def test_of_two_readers_one_overwrites(choice: Choice, expected: int) -> None:
    """Which of them depends on the order; it then runs after the other."""
    s = Sketch()
    (a,) = s.apply(PLUS, [s.shared((4, 4))], (4, 4))
    readers = [s.apply(PLUS, [a], (4, 4))[0] for _ in range(2)]
    graph = chosen(s, readers, choice)
    (last,) = [n for n in graph.applies if n.op.destroy_map]
    assert last.outputs == (readers[expected],)
    assert last.id == 2


@hypothesis(deadline=None, max_examples=80)
@given(random_sketches(), st.sampled_from(NODES), st.lists(st.booleans(), min_size=20, max_size=20))
def test_nothing_is_read_after_it_was_overwritten(made: tuple[Sketch, list[int]], choice: Choice, which: list[bool]) -> None:
    """On random graphs: in the order in which the machine runs them."""
    sketch, outputs = made
    sketch.applies = [_elementwise(n, which[k % 20]) for k, n in enumerate(sketch.applies)]
    graph = chosen(sketch, outputs, choice)
    verify(graph)
    assert respects_dependencies(graph, range(len(graph.applies)))
    gone: set[int] = set()
    base = list(range(len(graph.variables)))
    for number in execution_order(graph):
        node = graph.applies[number]
        assert not gone & {base[v] for v in node.inputs}
        for output, sources in node.op.view_map.items():
            base[node.outputs[output]] = base[node.inputs[sources[0]]]
        if node.op.name == PLUS.name:
            gone.update(base[node.inputs[p]] for row in node.op.destroy_map.values() for p in row)


def _elementwise(node: Apply, yes: bool) -> Apply:
    """The node, or an elementwise one in its place."""
    plain = not node.op.view_map and not node.op.destroy_map
    return replace(node, op=PLUS) if yes and plain and len(node.outputs) == 1 else node
