"""Variants of a printed graph that differ in what Numba or the CVM overwrite without the text saying so.

They are: inside Scans, values that mit-mot recurrences replace (PyTensor 3.3) and states of which only the last value is kept; and what is
open where loops were fused.
Sources: PyTensor 3.3.7 scan/op.py (`Scan.prepare_fgraph`: what is written in place is mutable), tensor/rewriting/elemwise.py; PyTensor
3.0.7 link/numba/dispatch/scan.py (`destroyable_untraced_sit_sot`: after the first step they come from the step before).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import is_not
from typing import NamedTuple

from ..ir import Apply, FunctionGraph, Op
from ..ir.graph import graphs, renumbered
from ..ir.scan import scan_info
from ..ops import IndexMap
from .overwritten import ELEMENTWISE, FUSED, INFERRED, Loop, OverwritePlan, infer, loops_of, readers_before
from .rewriting import rewrite


class Discarded(NamedTuple):
    """The inner inputs that a Scan may overwrite because their values are not read again, as Variable ids."""

    states: frozenset[int]
    """States of which only the last value is kept."""
    oldest: frozenset[int]
    """The oldest entries of ring buffers without room for more."""
    rewritten: frozenset[int]
    """Entries that mit-mot recurrences write in the same step (PyTensor 3.3)."""


def discarded(graph: FunctionGraph, node: Apply) -> Discarded:
    """Returns the inner inputs that the Scan `node` of `graph` may overwrite; all empty if its layout is unknown."""
    inner = node.op.inner
    info = scan_info(inner.info) if inner is not None else None
    if inner is None or info is None:
        return Discarded(frozenset(), frozenset(), frozenset())
    fed = info.inner_inputs(len(node.inputs))
    variables = [entry.variable for entry in inner.inputs]
    states = frozenset(v for v, (outer, _) in zip(variables, fed) if outer in info.shared)
    oldest, rewritten = set(), set()
    at = info.n_seqs
    for k, read in enumerate(info.taps):
        wrote = info.mit_mot_out[k] if k < info.n_mit_mot else ()
        length = graph.variables[node.inputs[info.recurrences[k]]].type.shape[:1]
        for tap, variable in zip(read, variables[at : at + len(read)]):
            if tap in wrote:
                rewritten.add(variable)
            elif not wrote and tap == min(read) and length == (-tap,):
                oldest.add(variable)
        at += len(read)
    return Discarded(states, frozenset(oldest), frozenset(rewritten))


MAX_STEPS = 50
"""Limit of the search, in nodes visited for each node of the graph; what is not decided then counts as fused."""
_WRITES, _PICKS = "AdvancedIncSubtensor", "AdvancedSubtensor"
_SUMS = frozenset({"Sum", "Prod", "Max", "Min", "All", "Any", "CAReduce"})
"""Reductions, also printed with prefix `Scalar`, whose loops are fused too."""


def unfused(plan: OverwritePlan) -> dict[int, Loop]:
    """Returns the loops that PyTensor could not fuse, by node, each with the inputs that it may overwrite."""
    loops: dict[int, Loop] = {}
    left = [MAX_STEPS * len(plan.order)]
    for node in plan.order:
        if plan.names[node] != _WRITES or len(plan.inputs[node]) < 2:
            continue
        target, value = plan.inputs[node][:2]
        loop = plan.owners[value]
        if loop in loops or loop < 0 or plan.names[loop] != "Elemwise" or not _is_written(plan, value):
            continue
        if _follows(plan, target, loop, left):
            loops[loop] = _loop(plan, loop)
    return loops


def _follows(plan: OverwritePlan, variable: int, node: int, left: list[int]) -> bool:
    """Whether a Variable depends on `node`; nodes are numbered in topological order. `left[0]` counts the remaining steps."""
    todo, met = [plan.owners[variable]], set()
    while todo and left[0]:
        left[0] -= 1
        here = todo.pop()
        if here == node:
            return True
        if here > node and here not in met:
            met.add(here)
            todo += plan.makers[here]
    return False


def _loop(plan: OverwritePlan, node: int) -> Loop:
    variables = plan.variables
    reads = tuple((None if _is_picked(plan, v) else i, variables[v].type) for i, v in enumerate(plan.inputs[node]))
    makes = tuple((None if _is_written(plan, v) or _is_summed(plan, v) else k, variables[v].type) for k, v in enumerate(plan.outputs[node]))
    return Loop(frozenset(i for i, _ in reads if i is not None), {}, reads, makes)


def _is_picked(plan: OverwritePlan, variable: int) -> bool:
    """Whether a Variable is selected by integer indices and only this loop reads it."""
    maker = plan.owners[variable]
    if maker < 0 or plan.names[maker] != _PICKS or variable in plan.returned or len(plan.clients[variable]) > 1:
        return False
    return all(plan.variables[v].type.dtype != "bool" for v in plan.inputs[maker][1:])


def _is_written(plan: OverwritePlan, variable: int) -> bool:
    """Whether an output of a loop is used only as the values that an indexed assignment writes."""
    clients = plan.clients.get(variable, [])
    alone = len(clients) == 1 and variable not in plan.returned
    return alone and plan.names[clients[0]] == _WRITES and plan.inputs[clients[0]][1] == variable


def _is_summed(plan: OverwritePlan, variable: int) -> bool:
    return variable not in plan.returned and any(plan.names[n].removeprefix("Scalar") in _SUMS for n in plan.clients.get(variable, ()))


Change = Callable[[FunctionGraph], FunctionGraph]
"""A change of a graph that returns the same object where there is nothing to change."""


def overwriting(graph: FunctionGraph) -> FunctionGraph | None:
    """Returns a variant of `graph` in which the CVM's Scans write mit-mot recurrences in place; None if nothing changes."""
    return _if_other(graph, inside(graph, _several_taps))


def last_states(graph: FunctionGraph) -> FunctionGraph | None:
    """Returns a variant of `graph` in which Numba's Scans overwrite values that are not read again, as in PyTensor 3.0; None if nothing
    changes.
    """
    return _if_other(graph, _states(graph, False))


def last_taps(graph: FunctionGraph) -> FunctionGraph | None:
    """Returns a variant of `graph` like that of `last_states`, but for PyTensor 3.3, which also overwrites what mit-mot recurrences
    replace; None if nothing changes.
    """
    return _if_other(graph, _states(graph, True))


def fused_apart(graph: FunctionGraph) -> FunctionGraph | None:
    """Returns a variant of `graph` without the overwritten inputs that depend on loop fusion and that the text may not show; None if
    nothing changes.

    This variant needs the most memory. What fused loops themselves overwrite was inferred correctly for 1056 of 1057 loops of the outer
    graphs of functions of PyTensor 3.3.7, but not always for loops in a step of a Scan, nor for readers of entries that are picked by an
    index.
    """
    fused = any(n.op.name in FUSED for g, _ in graphs(graph) for n in g.applies)
    return _if_other(graph, _apart(graph, frozenset({"AdvancedSubtensor"}))) if fused else None


def without_fusing(graph: FunctionGraph) -> FunctionGraph | None:
    """Returns a variant of `graph` with the in-place choices for loops that PyTensor 3.3 could not fuse; None if nothing changes."""
    plan = plan_of(graph) if any(_is_unfused(graph, node) for node in graph.applies) else None
    loops = {} if plan is None else unfused(plan)
    if plan is None or not loops:
        return None
    over = {plan.root(node.inputs[i]) for node in graph.applies for ins in node.op.destroy_map.values() for i in ins}
    updated = frozenset(v for v in over if graph.variables[v].owner is None)
    destroys = infer(replace(plan, loops={**plan.loops, **loops}), updated).destroy

    def changed(node: Apply) -> Apply:
        same = node.id not in loops or destroys[node.id] == node.op.destroy_map
        return node if same else _with_op(node, replace(node.op, destroy_map=destroys[node.id]))

    return _if_other(graph, _each(graph, changed))


def _is_unfused(graph: FunctionGraph, node: Apply) -> bool:
    """Whether a node writes the result of an Elemwise through an index."""
    maker = graph.variables[node.inputs[1]].owner if node.op.name == "AdvancedIncSubtensor" and len(node.inputs) > 1 else None
    return maker is not None and graph.applies[maker].op.name == "Elemwise"


def _if_other(graph: FunctionGraph, variant: FunctionGraph) -> FunctionGraph | None:
    return None if variant is graph else variant


_IN_STEPS = frozenset({"AdvancedSubtensor", *FUSED})


def _apart(graph: FunctionGraph, doubtful: frozenset[str] = _IN_STEPS) -> FunctionGraph:
    """`graph`, and its inner graphs, in which doubtful nodes (see `_is_doubtful`) overwrite nothing."""
    apart: dict[int, Op] = {}

    def changed(node: Apply) -> Apply:
        if not _is_doubtful(graph, node, doubtful):
            return node
        if id(node.op) not in apart:
            apart[id(node.op)] = replace(node.op, destroy_map={})
        return _with_op(node, apart[id(node.op)])

    return inside(_each(graph, changed), _apart)


def _with_op(node: Apply, op: Op) -> Apply:
    return Apply(node.id, op, node.inputs, node.outputs, node.after)


def _is_doubtful(graph: FunctionGraph, node: Apply, doubtful: frozenset[str]) -> bool:
    """Whether what a node overwrites depends on more than the printed graph shows."""
    if node.op.name not in ELEMENTWISE or not node.op.destroy_map:
        return False
    if node.op.name in doubtful:
        return True
    owners = [graph.variables[v].owner for v in node.inputs]
    return not doubtful.isdisjoint([graph.applies[o].op.name for o in owners if o is not None])


def _each(graph: FunctionGraph, change: Callable[[Apply], Apply]) -> FunctionGraph:
    """`graph` with `change` applied to its nodes; the same object where that changes nothing."""
    applies = tuple(map(change, graph.applies))
    return replace(graph, applies=applies) if any(map(is_not, applies, graph.applies)) else graph


def inside(graph: FunctionGraph, change: Change) -> FunctionGraph:
    """Applies `change` to the inner graphs of `graph`; returns the same object if that changes nothing."""

    ops: dict[int, Op] = {}

    def changed(node: Apply) -> Apply:
        op = node.op
        if op.inner is None:
            return node
        if id(op) not in ops:
            new_inner = change(op.inner)
            ops[id(op)] = op if new_inner is op.inner else replace(op, inner=new_inner)
        return node if ops[id(op)] is op else _with_op(node, ops[id(op)])

    return _each(graph, changed)


def _several_taps(inner: FunctionGraph) -> FunctionGraph:
    graph = inner
    for entry in inner.inputs:
        if entry.update is not None and inner.clients[entry.variable]:
            graph = _over(graph, entry.variable)
    return graph


def _states(graph: FunctionGraph, new: bool) -> FunctionGraph:
    """`graph` with all its Scans, also nested ones, rewritten so that values discarded within a step are overwritten; `new`: as PyTensor
    3.3 does.
    """
    inside: dict[int, FunctionGraph] = {}

    def changed(node: Apply) -> Apply:
        inner = node.op.inner
        if inner is None:
            return node
        if id(inner) not in inside:
            inside[id(inner)] = _states(inner, new)
        new_inner = inside[id(inner)]
        overwritable = discarded(graph, node)
        kept = overwritable.rewritten | overwritable.oldest if new else frozenset()
        done = frozenset(v for v in kept | overwritable.states | overwritable.oldest if inner.clients[v])
        plan = plan_of(new_inner) if done else None
        row = None if plan is None else rewrite(plan, done, kept)
        if plan is not None and row is not None:
            new_inner = rewritten(new_inner, plan, *row)
        return node if new_inner is inner else replace(node, op=replace(node.op, inner=new_inner))

    return _each(graph, changed)


def plan_of(graph: FunctionGraph) -> OverwritePlan:
    """Makes the input for the inference of overwritten inputs. It does not contain what elementwise nodes and updates of `graph` overwrite
    now.
    """
    ops = [node.op for node in graph.applies]
    inputs, outputs = [node.inputs for node in graph.applies], [node.outputs for node in graph.applies]
    destroys: list[IndexMap] = [{} if op.name in INFERRED else op.destroy_map for op in ops]
    names, views = [op.name for op in ops], [op.view_map for op in ops]
    loops = loops_of(names, {i: op.inner for i, op in enumerate(ops) if op.inner is not None})
    return OverwritePlan(range(len(ops)), names, inputs, outputs, views, destroys, graph.variables, graph.outputs, loops)


def rewritten(graph: FunctionGraph, plan: OverwritePlan, destroy: Mapping[int, IndexMap], order: Sequence[int]) -> FunctionGraph:
    """Returns a copy of `graph` with its nodes in the order `order` and with the destroy maps `destroy`, by node."""
    maps = [destroy.get(i, old) for i, old in enumerate(plan.destroys)]
    before = readers_before(plan.inputs, plan.outputs, plan.views, maps)
    place = {old: new for new, old in enumerate(order)}
    applies = []
    for node in graph.applies:
        first = sorted((b for b in before[node.id] if place[b] < place[node.id]), key=place.__getitem__)
        applies.append(Apply(node.id, replace(node.op, destroy_map=maps[node.id]), node.inputs, node.outputs, tuple(first)))
    return renumbered(replace(graph, applies=tuple(applies)), order)


def _over(inner: FunctionGraph, variable: int) -> FunctionGraph:
    """`inner`, in which the last node that reads `variable` also overwrites it with one of its outputs; unchanged if none of them can."""
    last, position = inner.clients[variable][-1]
    node = inner.applies[last]
    taken = {i for ins in node.op.destroy_map.values() for i in ins}
    if node.op.name not in ELEMENTWISE or position in taken or node.inputs.count(variable) > 1:
        return inner
    kind = inner.variables[variable].type
    for k, output in enumerate(node.outputs):
        if output not in inner.outputs and k not in node.op.destroy_map and inner.variables[output].type == kind:
            op = replace(node.op, destroy_map={**node.op.destroy_map, k: (position,)})
            return replace(inner, applies=(*inner.applies[:last], replace(node, op=op), *inner.applies[last + 1 :]))
    return inner
