"""Each broken invariant is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given

from tests.ir.graphs import looped, random_graphs, step_graph
from theanodiag.errors import UnreadableError
from theanodiag.ir import Apply, FunctionGraph, GraphInput
from theanodiag.ir.graph import verify


def with_node(graph: FunctionGraph, index: int, **changes: object) -> FunctionGraph:
    """The graph with one node changed."""
    nodes = list(graph.applies)
    nodes[index] = replace(nodes[index], **changes)  # type: ignore[arg-type]
    return replace(graph, applies=tuple(nodes))


BROKEN: dict[str, tuple[Callable[[FunctionGraph], FunctionGraph], str]] = {
    "variable ids": (lambda g: replace(g, variables=g.variables[::-1]), "Variable at position 0 has the id 4"),
    "node ids": (lambda g: replace(g, applies=(Apply(5, g.applies[0].op, (0, 1), (2,)),)), "Apply at position 0 has the id 5"),
    "missing input": (lambda g: with_node(g, 0, inputs=(0, 99)), "Apply 0 refers to Variable 99, which does not exist"),
    "order": (lambda g: with_node(g, 0, inputs=(0, 4)), "reads Variable 4 before it is made"),
    "made twice": (lambda g: with_node(g, 1, outputs=(2,)), "Variable 2 is made twice, the second time by Apply 1"),
    "owner": (lambda g: with_node(with_node(g, 0, outputs=(3,)), 1, outputs=(2,)), "Variable 3 is made by Apply 0 but says that 1 owns it"),
    "after itself": (lambda g: with_node(g, 2, after=(2,)), "Apply 2 runs after 2, which is no other Apply"),
    "view beyond": (
        lambda g: with_node(g, 1, op=replace(g.applies[1].op, view_map={0: (3,)})), "view_map of Apply 1 .* points beyond its inputs",
    ),
    "destroys beyond": (
        lambda g: with_node(g, 1, op=replace(g.applies[1].op, destroy_map={2: (0,)})), "destroy_map of Apply 1 .* points beyond",
    ),
    "missing output": (lambda g: replace(g, outputs=(2, 77)), "output 1 is Variable 77, which does not exist"),
    "returned": (lambda g: replace(g, returned=9), "9 outputs are returned, but there are 2"),
    "twice an input": (lambda g: replace(g, inputs=(*g.inputs, GraphInput(0))), "a Variable is an input twice"),
    "computed input": (lambda g: replace(g, inputs=(*g.inputs, GraphInput(2))), "Variable 2 is made twice"),
    "owned input": (
        lambda g: replace(g, variables=(replace(g.variables[0], owner=1), *g.variables[1:])), "input Variable 0 is made by Apply 1",
    ),
    "update": (lambda g: replace(g, inputs=(replace(g.inputs[1], update=0), g.inputs[0])), "the update of input Variable 1 is output 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_graph_is_refused_with_the_reason(case: str) -> None:
    """The message names the node or the Variable."""
    damage, message = BROKEN[case]
    with pytest.raises(UnreadableError, match=f"step: .*{message}"):
        verify(damage(step_graph()))


def test_a_broken_inner_graph_is_found() -> None:
    """The message says inside of which node it lies."""
    graph = looped()
    inner = graph.applies[0].op.inner
    assert inner is not None
    with pytest.raises(UnreadableError, match=r"outer, inside of for\{cpu,scan_fn\}: 5 outputs are returned"):
        verify(with_node(graph, 0, op=replace(graph.applies[0].op, inner=replace(inner, returned=5))))


@given(random_graphs())
def test_every_built_graph_is_accepted(graph: FunctionGraph) -> None:
    """No false alarm on any DAG."""
    verify(graph)
