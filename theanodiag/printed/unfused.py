"""Finds loops that PyTensor 3.3 tries to fuse with an indexed write, and cannot.

Source: PyTensor 3.3.7 tensor/rewriting/fused_elemwise.py (`FuseElemwise.apply`): first what such a loop overwrites is decided anew, without
what is picked by an index, written through one, or summed up. If it makes what it is to write into as well, it would have to wait for
itself once it is fused, and stays as it is then.
"""

from __future__ import annotations

from .fused import Loop
from .overwritten import Plan

MAX_STEPS = 50
"""Limit of the search, in nodes visited for each node of the graph; what is not decided then counts as fused."""
_WRITES, _PICKS = "AdvancedIncSubtensor", "AdvancedSubtensor"
_SUMS = frozenset({"Sum", "Prod", "Max", "Min", "All", "Any", "CAReduce"})
"""Reductions, also printed with prefix `Scalar`, whose loops are fused too."""


def unfused(plan: Plan) -> dict[int, Loop]:
    """Loops that could not be fused, by node, with what they may overwrite."""
    found: dict[int, Loop] = {}
    left = [MAX_STEPS * len(plan.order)]
    for node in plan.order:
        if plan.names[node] != _WRITES or len(plan.inputs[node]) < 2:
            continue
        target, value = plan.inputs[node][:2]
        loop = plan.owners[value]
        if loop in found or loop < 0 or plan.names[loop] != "Elemwise" or not _is_written(plan, value):
            continue
        if _follows(plan, target, loop, left):
            found[loop] = _loop(plan, loop)
    return found


def _follows(plan: Plan, variable: int, node: int, left: list[int]) -> bool:
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


def _loop(plan: Plan, node: int) -> Loop:
    variables = plan.variables
    reads = tuple((None if _is_picked(plan, node, v) else i, variables[v].type) for i, v in enumerate(plan.inputs[node]))
    makes = tuple((None if _is_written(plan, v) or _is_summed(plan, v) else k, variables[v].type) for k, v in enumerate(plan.outputs[node]))
    return Loop(frozenset(i for i, _ in reads if i is not None), {}, reads, makes)


def _is_picked(plan: Plan, node: int, variable: int) -> bool:
    """Whether only this loop reads a Variable, and that is selected by integer indices."""
    maker = plan.owners[variable]
    if maker < 0 or plan.names[maker] != _PICKS or variable in plan.returned or len(plan.clients[variable]) > 1:
        return False
    return all(plan.variables[v].type.dtype != "bool" for v in plan.inputs[maker][1:])


def _is_written(plan: Plan, variable: int) -> bool:
    """Whether an output of a loop is only written through an index."""
    clients = plan.clients.get(variable, [])
    alone = len(clients) == 1 and variable not in plan.returned
    return alone and plan.names[clients[0]] == _WRITES and plan.inputs[clients[0]][1] == variable


def _is_summed(plan: Plan, variable: int) -> bool:
    return variable not in plan.returned and any(plan.names[n].removeprefix("Scalar") in _SUMS for n in plan.clients.get(variable, ()))
