"""When a virtual machine frees a value.

A storage cell is emptied

1. right after the step in which the last client of its Variable ran (that is: all outputs of all its clients are computed, and
   the node that ran is one of them), if the Variable has an owner and is no output of the graph, and `allow_gc` holds;
2. at the end of the call, if it was computed, has an owner, is no output, and was not emptied by 1: outputs nobody uses, and
   what only a branch that was not taken would have used, or a lazy node that ran before; if `allow_gc` holds;
3. at the end of the call, if it is an output that has an owner: its value goes to the caller or to the shared variable that it
   updates; if `allow_gc` holds. Without, it is emptied when the next call begins, together with all cells that may share its memory;
4. at the end of the call, if it is an argument;
5. never, if it is a constant or the value of a shared variable (an update puts another value into it).

Emptying a cell frees a buffer only if no other cell holds it: views hold their base.
Source: Theano 1.0.5, gof/c_code/lazylinker_c.c (`lazy_rec_eval`, `CLazyLinker_call`), gof/vm.py (`compute_gc_dependencies`),
gof/link.py (`gc_helper`), compile/function_module.py (`Function.__call__`, `infer_reuse_pattern`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from ..ir import FunctionGraph
from .order import LAZY_OPS, PassedOver


def dropped_after(graph: FunctionGraph, order: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """For each step of `order`, the Variables whose cells are emptied right after it (case 1), if `allow_gc` holds."""
    if len(order) == len(graph.applies):
        return _all_run(graph, order)
    step_of = {apply_id: step for step, apply_id in enumerate(order)}
    done = {**_passed_over(graph, order), **step_of}
    drops: list[list[int]] = [[] for _ in order]
    kept = set(graph.outputs)
    for variable in graph.variables:
        made = None if variable.owner is None else step_of.get(variable.owner)
        if made is None or variable.id in kept:
            continue
        clients = [apply_id for apply_id, _ in graph.clients[variable.id]]
        if clients and all(c in done for c in clients):
            last = max(done[c] for c in clients)
            after = [step_of[c] for c in clients if step_of.get(c, -1) >= max(last, made + 1)]
            if after:
                drops[min(after)].append(variable.id)
    return tuple(tuple(_by_position(graph, order[step], row)) for step, row in enumerate(drops))


def _all_run(graph: FunctionGraph, order: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """`dropped_after` for an order in which every node runs: each computed Variable is freed with the last of its clients."""
    stays = bytearray([v.owner is None for v in graph.variables])  # never freed, or freed after a later step
    for v in graph.outputs:
        stays[v] = 1
    drops = []
    for apply_id in reversed(order):
        node, gone = graph.applies[apply_id], []
        for v in node.inputs:
            if not stays[v]:
                stays[v] = 1
                gone.append(v)
        drops.append(tuple(gone))
        for v in node.outputs:
            stays[v] = 1  # earlier steps cannot be clients
    return tuple(reversed(drops))


def _passed_over(graph: FunctionGraph, order: Sequence[int]) -> dict[int, int]:
    """Nodes that never run but count as done (see `PassedOver`): node -> step of the lazy node after which they do."""
    found: dict[int, int] = {}
    if LAZY_OPS.isdisjoint(graph.op_names):
        return found
    done, passed = bytearray(len(graph.applies)), PassedOver(graph)
    for step, apply_id in enumerate(order):
        done[apply_id] = 1
        if graph.applies[apply_id].op.name in LAZY_OPS:
            found.update(dict.fromkeys(passed.after(graph.applies[apply_id], done), step))
    return found


def _by_position(graph: FunctionGraph, apply_id: int, dropped: list[int]) -> list[int]:
    """Sorted in the order in which the node names them as inputs, which is the order in which the VM empties cells."""
    if len(dropped) < 2:
        return dropped
    inputs = graph.applies[apply_id].inputs
    place = {v: i for i, v in zip(range(len(inputs) - 1, -1, -1), reversed(inputs))}
    return sorted(dropped, key=place.__getitem__)


def dropped_at_end(graph: FunctionGraph, order: Sequence[int], drops: Sequence[Sequence[int]] | None = None) -> tuple[int, ...]:
    """The Variables whose cells are emptied at the end of the call (case 2), if `allow_gc` holds.

    `drops` is the result of `dropped_after`, where it is known already.
    """
    early = {*graph.outputs, *chain.from_iterable(dropped_after(graph, order) if drops is None else drops)}
    return tuple([v for apply_id in order for v in graph.applies[apply_id].outputs if v not in early])
