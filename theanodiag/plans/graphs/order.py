"""The evaluation order of a function: the best one, and what a user can do to come nearer to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...ir import FunctionGraph, Unknown
from ...ir.traverse import renumbered
from ...memory.allocators.gpuarray import FRAGMENT_BYTES
from ...memory.profile import MemoryProfile, ProcessProfile
from ...memory.script import CompiledFunction, Script
from ...memory.settings import AllocatorKind, MemorySettings
from ...memory.simulate import on_device, simulate
from ..ordering import Found, best_order
from .order_problem import needs, problem_of

MOST_OUTPUTS = 4
"""Of more outputs only the first ones are tried in another place."""
MOST_NODES = 2000
"""Larger graphs are not searched."""


_NOTHING = Unknown("no order saves that much")


@dataclass(frozen=True)
class BestOrder:
    """What the search found for one function."""

    found: Found
    profile: MemoryProfile
    """The function's own, in that order."""
    process: ProcessProfile
    bound_bytes: int
    """No order of this graph has a lower live peak."""


@dataclass(frozen=True)
class Way:
    """Something a user can do that changes the order."""

    words: str
    code: str
    process: ProcessProfile
    """The script with it."""


def best_for(script: Script, settings: MemorySettings, function: int, before: MemoryProfile, least: int = 0) -> BestOrder | Unknown:
    """The best order of a function, for the call with its highest peak; Unknown where none can be looked for, or save `least` bytes."""
    graph = script.functions[function].graph
    if settings.lift or not settings.allow_gc or len(graph.applies) > MOST_NODES:
        return Unknown("the graph is not the one that runs, keeps everything, or is too large")
    most = before.figures.live_peak_bytes - before.figures.live_before_bytes
    if most < least:
        return _NOTHING
    device = settings.allocator is not AllocatorKind.DIRECT or on_device(script)
    cached = settings.allocator is AllocatorKind.GPUARRAY and settings.preallocate >= 0
    asked = problem_of(graph, script.calls(function)[before.call].shapes, device, FRAGMENT_BYTES if cached else 1)
    if isinstance(asked, Unknown):
        return asked
    if most - asked.problem.bound() < least:
        return _NOTHING
    found = best_order(asked.problem)
    order = whole_order(graph, [asked.nodes[k] for k in found.order])
    process = simulate(with_function(script, in_order(script.functions[function], order)), settings)
    return BestOrder(found, process.functions[function], process, before.figures.live_before_bytes + found.bound)


def ways(script: Script, settings: MemorySettings, function: int) -> Iterator[Way]:
    """The other orders that flags and the order of outputs give."""
    old = script.functions[function]
    if old.linker == "cvm":
        with_linker = simulate(with_function(script, replace(old, linker="c|py")), settings)
        yield Way("linker=c|py runs the nodes as they are listed", "THEANO_FLAGS=linker=c|py", with_linker)
    tried = {old.graph.outputs}
    for place in range(min(old.graph.n_returned, MOST_OUTPUTS)):
        rest = [k for k in range(old.graph.n_returned) if k != place]
        for where, order in (("first", [place, *rest]), ("last", [*rest, place])):
            moved = reordered(old, order)
            if moved.graph.outputs not in tried:
                tried.add(moved.graph.outputs)
                code = f"outputs = [outputs[k] for k in {order}]"
                yield Way(f"output {place} as the {where} one", code, simulate(with_function(script, moved), settings))


def with_function(script: Script, function: CompiledFunction) -> Script:
    """The script with another function in the place of the one with that index."""
    return replace(script, functions=tuple(function if f.index == function.index else f for f in script.functions))


def reordered(function: CompiledFunction, order: Sequence[int]) -> CompiledFunction:
    """The function with what it returns in another order."""
    graph = function.graph
    outputs = (*(graph.outputs[k] for k in order), *graph.outputs[graph.n_returned :])
    return replace(function, graph=replace(graph, outputs=outputs))


def whole_order(graph: FunctionGraph, nodes: Sequence[int]) -> tuple[int, ...]:
    """All nodes of a graph, where those of `nodes` run in that order and every other one as soon as it can."""
    order: list[int] = []
    chosen = set(nodes)
    waiting = {n.id: len(set(needs(graph, n))) for n in graph.applies}
    after: dict[int, list[int]] = {n.id: [] for n in graph.applies}
    for n in graph.applies:
        for earlier in set(needs(graph, n)):
            after[earlier].append(n.id)

    def run(node: int) -> None:
        todo = [node]
        while todo:
            now = todo.pop(0)
            order.append(now)
            for later in after[now]:
                waiting[later] -= 1
                if not waiting[later] and later not in chosen:
                    todo.append(later)

    for node in [n for n, count in waiting.items() if not count and n not in chosen]:
        run(node)
    for node in nodes:
        run(node)
    return tuple(order)


def in_order(function: CompiledFunction, order: Sequence[int]) -> CompiledFunction:
    """The function with its nodes listed in this order, and run as they are listed."""
    return replace(function, graph=renumbered(function.graph, order), linker="py")
