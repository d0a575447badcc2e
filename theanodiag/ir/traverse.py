"""Traversals of a FunctionGraph; all are iterative and linear in its size."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace

from ..errors import UnreadableError
from .graph import Apply, Constant, FunctionGraph
from .shape import ShapeTable


def graphs(graph: FunctionGraph) -> Iterator[tuple[FunctionGraph, tuple[int, ...]]]:
    """The graph and all inner graphs, outer before inner, each with the ids of the Apply nodes that enclose it."""
    pending: list[tuple[FunctionGraph, tuple[int, ...]]] = [(graph, ())]
    while pending:
        here, path = pending.pop()
        yield here, path
        inner = [(node.op.inner, (*path, node.id)) for node in here.applies if node.op.inner is not None]
        pending.extend((g, p) for g, p in reversed(inner) if g is not None)


def ancestors(graph: FunctionGraph, variables: Iterable[int]) -> frozenset[int]:
    """`variables` and every Variable from which they are computed."""
    closure = set(variables)
    pending = list(closure)
    while pending:
        owner = graph.variables[pending.pop()].owner
        new = [] if owner is None else [v for v in graph.applies[owner].inputs if v not in closure]
        closure.update(new)
        pending.extend(new)
    return frozenset(closure)


def renumbered(graph: FunctionGraph, order: Sequence[int]) -> FunctionGraph:
    """`graph` with its nodes in the given order, a permutation of their ids, and with new ids."""
    place = {old: new for new, old in enumerate(order)}
    applies = tuple(
        replace(graph.applies[old], id=new, after=tuple(place[a] for a in graph.applies[old].after)) for new, old in enumerate(order)
    )
    variables = tuple(v if v.owner is None else replace(v, owner=place[v.owner]) for v in graph.variables)
    return replace(graph, applies=applies, variables=variables)


def reaches(start: int, targets: Container[int], followers: Callable[[int], Iterable[int]]) -> bool:
    """Whether one of `targets` can be reached from `start`; `followers` gives the direct successors of an id."""
    todo, seen = [start], {start}
    while todo:
        for follower in followers(todo.pop()):
            if follower in targets:
                return True
            if follower not in seen:
                seen.add(follower)
                todo.append(follower)
    return False


def verify(graph: FunctionGraph) -> None:
    """Raises `UnreadableError` with the first violated invariant in `graph` or one of its inner graphs."""
    pending = [(graph, graph.name or "graph")]
    while pending:
        graph, name = pending.pop()
        broken = next(_broken(graph), None)
        if broken is not None:
            raise UnreadableError(f"{name}: {broken}")
        pending.extend((node.op.inner, f"{name}, inside of {node.op.text}") for node in graph.applies if node.op.inner is not None)


def verify_table(graph: FunctionGraph, table: ShapeTable, name: str = "shapes") -> None:
    """Raises `UnreadableError` where a shape table refers to Variables or inner graphs that `graph` does not have."""
    pending = [(graph, table)]
    while pending:
        graph, table = pending.pop()
        alien = [v for v in (*table.shapes, *table.values, *table.bounded) if not 0 <= v < len(graph.variables)]
        inner = {a: graph.applies[a].op.inner if 0 <= a < len(graph.applies) else None for a in table.inner}
        if alien:
            raise UnreadableError(f"{name}: {graph.name or 'the graph'} has no Variable {alien[0]}")
        for a, within in inner.items():
            if within is None:
                raise UnreadableError(f"{name}: {graph.name or 'the graph'} has no inner graph in Apply {a}")
            pending.append((within, table.inner[a]))


def _broken(graph: FunctionGraph) -> Iterator[str]:
    yield from _ids(graph)
    yield from _references(graph)
    defined = {i.variable for i in graph.inputs} | {v.id for v in graph.variables if isinstance(v, Constant)}
    for node in graph.applies:
        yield from _node(graph, node, defined)
    yield from (f"output {i} is Variable {v}, which nothing makes" for i, v in enumerate(graph.outputs) if v not in defined)
    yield from _inputs(graph)


def _ids(graph: FunctionGraph) -> Iterator[str]:
    yield from (f"Variable at position {i} has the id {v.id}" for i, v in enumerate(graph.variables) if v.id != i)
    yield from (f"Apply at position {i} has the id {node.id}" for i, node in enumerate(graph.applies) if node.id != i)


def _references(graph: FunctionGraph) -> Iterator[str]:
    """References to ids that do not exist, which later checks must not use as indices."""
    n = len(graph.variables)
    for node in graph.applies:
        yield from (f"Apply {node.id} refers to Variable {v}, which does not exist" for v in node.inputs + node.outputs if not 0 <= v < n)
        yield from (f"Apply {node.id} runs after {a}, which is no other Apply" for a in node.after if not _other(a, node, graph))
    yield from (f"an input is Variable {i.variable}, which does not exist" for i in graph.inputs if not 0 <= i.variable < n)
    yield from (f"output {i} is Variable {v}, which does not exist" for i, v in enumerate(graph.outputs) if not 0 <= v < n)


def _other(after: int, node: Apply, graph: FunctionGraph) -> bool:
    return 0 <= after < len(graph.applies) and after != node.id


def _node(graph: FunctionGraph, node: Apply, defined: set[int]) -> Iterator[str]:
    """Violations at one node: it reads only what exists before it, own its outputs, and its maps must refer to its inputs and outputs."""
    yield from (f"Apply {node.id} ({node.op.text}) reads Variable {v} before it is made" for v in node.inputs if v not in defined)
    for v in node.outputs:
        if v in defined:
            yield f"Variable {v} is made twice, the second time by Apply {node.id} ({node.op.text})"
        if graph.variables[v].owner != node.id:
            yield f"Variable {v} is made by Apply {node.id} but says that {graph.variables[v].owner} owns it"
        defined.add(v)
    for name, table in (("view_map", node.op.view_map), ("destroy_map", node.op.destroy_map)):
        for output, inputs in table.items():
            if not 0 <= output < len(node.outputs) or not all(0 <= i < len(node.inputs) for i in inputs):
                yield f"{name} of Apply {node.id} ({node.op.text}) points beyond its inputs or outputs: {output} -> {list(inputs)}"


def _inputs(graph: FunctionGraph) -> Iterator[str]:
    if not 0 <= graph.n_returned <= len(graph.outputs):
        yield f"{graph.n_returned} outputs are returned, but there are {len(graph.outputs)}"
    if len(graph.roles) != len(graph.inputs):
        yield "a Variable is an input twice"
    for entry in graph.inputs:
        if graph.variables[entry.variable].owner is not None:
            yield f"input Variable {entry.variable} is made by Apply {graph.variables[entry.variable].owner}"
        if entry.update is not None and not graph.n_returned <= entry.update < len(graph.outputs):
            yield f"the update of input Variable {entry.variable} is output {entry.update}, which is none of the updates"
