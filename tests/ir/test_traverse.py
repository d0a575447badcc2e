"""Ways through a graph, against the definitions."""

from __future__ import annotations

from hypothesis import given

from tests.ir.graphs import ADD, looped, random_graphs, respects_dependencies, step_graph
from theanodiag.ir import FunctionGraph
from theanodiag.ir.builder import GraphBuilder, tensor
from theanodiag.ir.graph import ancestors, graphs


@given(random_graphs())
def test_ancestors_are_what_is_read_and_its_ancestors(graph: FunctionGraph) -> None:
    """Of one Variable: itself, and those of each input of the node that makes it."""
    for v in graph.variables:
        read = () if v.owner is None else graph.applies[v.owner].inputs
        assert ancestors(graph, [v.id]) == frozenset({v.id}).union(*(ancestors(graph, [i]) for i in read))


@given(random_graphs())
def test_the_listed_order_respects_dependencies(graph: FunctionGraph) -> None:
    """The order of the nodes is a valid one."""
    assert respects_dependencies(graph, range(len(graph.applies)))


def test_a_node_before_its_input_is_refused() -> None:
    """The consumer must not run first."""
    assert not respects_dependencies(step_graph(), [2, 1, 0])


def test_a_destroyer_before_the_reader_is_refused() -> None:
    """`after` binds as inputs do."""
    assert not respects_dependencies(step_graph(), [1, 2, 0])


def test_a_node_that_runs_twice_is_refused() -> None:
    """An order lists a node once."""
    assert not respects_dependencies(step_graph(), [0, 1, 2, 2])


def test_inner_graphs_come_with_the_way_to_them() -> None:
    """The outer graph first, then the one inside of node 0."""
    assert [(g.name, path) for g, path in graphs(looped())] == [("outer", ()), ("step", (0,))]


def test_a_long_chain_needs_no_recursion() -> None:
    """Depth is no limit."""
    b = GraphBuilder()
    last = b.argument("x", tensor(1))
    for _ in range(20_000):
        last = b.apply(ADD, [last], tensor(1))
    graph = b.build(last)
    assert len(ancestors(graph, [last])) == 20_001
