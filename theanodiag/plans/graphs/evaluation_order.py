"""Simulates other evaluation orders that a user can choose: by the linker, or by the order of the outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...memory.profile import ProcessProfile
from ...memory.script import CompiledFunction, Script
from ...memory.settings import MemorySettings
from ...memory.simulate import simulate_figures

MOST_OUTPUTS = 4
"""Maximum number of outputs that are tried in another position."""
MOST_NODES = 2000
"""Larger graphs are not tried."""


@dataclass(frozen=True)
class ReorderedRun:
    """A change by the user that changes the order, and the simulation with it."""

    words: str
    """Description of the change."""
    code: str
    """Flag or Python to paste."""
    process: ProcessProfile
    """The simulation of the script with it."""


def reordered_runs(script: Script, settings: MemorySettings, function: int) -> Iterator[ReorderedRun]:
    """Yields the other orders; none where the graph is not the one that runs, or everything is kept (`allow_gc=False`)."""
    old = script.functions[function]
    if settings.lift or not settings.allow_gc or len(old.graph.applies) > MOST_NODES:
        return
    if old.linker == "cvm":
        with_linker = simulate_figures(with_function(script, replace(old, linker="c|py")), settings)
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
                yield ReorderedRun(f"output {place} as the {where} one", code, simulate_figures(with_function(script, moved), settings))


def with_function(script: Script, function: CompiledFunction) -> Script:
    """The script with `function` in place of the one with the same index."""
    return replace(script, functions=tuple(function if f.index == function.index else f for f in script.functions))


def reordered(function: CompiledFunction, order: Sequence[int]) -> CompiledFunction:
    """The function with the outputs that it returns in another order."""
    graph = function.graph
    outputs = (*(graph.outputs[k] for k in order), *graph.outputs[graph.n_returned :])
    return replace(function, graph=replace(graph, outputs=outputs))
