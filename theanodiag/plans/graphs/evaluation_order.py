"""Other evaluation orders of a function that a user can ask for: by the linker, or by the order of what it returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...memory.profile import ProcessProfile
from ...memory.script import CompiledFunction, Script
from ...memory.settings import MemorySettings
from ...memory.simulate import simulate

MOST_OUTPUTS = 4
"""Of more outputs only the first ones are tried in another place."""
MOST_NODES = 2000
"""Larger graphs are left as they are."""


@dataclass(frozen=True)
class ReorderedRun:
    """Something a user can do that changes the order."""

    words: str
    code: str
    process: ProcessProfile
    """The script with it."""


def reordered_runs(script: Script, settings: MemorySettings, function: int) -> Iterator[ReorderedRun]:
    """The other orders that flags and the order of outputs give; none where the graph is not the one that runs, or keeps everything."""
    old = script.functions[function]
    if settings.lift or not settings.allow_gc or len(old.graph.applies) > MOST_NODES:
        return
    if old.linker == "cvm":
        with_linker = simulate(with_function(script, replace(old, linker="c|py")), settings)
        variable = f"{(script.framework or 'theano').partition('-')[0].upper()}_FLAGS"
        yield ReorderedRun("linker=c|py runs the nodes as they are listed", f'{variable}="linker=c|py"', with_linker)
    tried = {old.graph.outputs}
    for place in range(min(old.graph.n_returned, MOST_OUTPUTS)):
        rest = [k for k in range(old.graph.n_returned) if k != place]
        for where, order in (("first", [place, *rest]), ("last", [*rest, place])):
            moved = reordered(old, order)
            if moved.graph.outputs not in tried:
                tried.add(moved.graph.outputs)
                code = f"outputs = [outputs[k] for k in {order}]"
                yield ReorderedRun(f"output {place} as the {where} one", code, simulate(with_function(script, moved), settings))


def with_function(script: Script, function: CompiledFunction) -> Script:
    """The script with another function in the place of the one with that index."""
    return replace(script, functions=tuple(function if f.index == function.index else f for f in script.functions))


def reordered(function: CompiledFunction, order: Sequence[int]) -> CompiledFunction:
    """The function with what it returns in another order."""
    graph = function.graph
    outputs = (*(graph.outputs[k] for k in order), *graph.outputs[graph.n_returned :])
    return replace(function, graph=replace(graph, outputs=outputs))
