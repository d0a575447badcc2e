"""Shapes of the states of MRG random generators, which are shared variables without names: one row of six numbers for each stream.

Source: Theano 1.0.5 and Aesara 2.9 sandbox/rng_mrg.py, `guess_n_streams`, `MRG_RandomStreams.get_substream_rstates`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...ir import Constant, FunctionGraph, Shape
from ...ir.traverse import graphs

USUAL = 60 * 256
"""Number of streams where the size of a sample depends on other sizes; also the most that the framework chooses by itself."""
ASSUMED = "the number of its streams is not printed: the usual one is assumed"
"""Why the size of such a state is not certain."""
_NUMBERS, _FEW = 6, 6


def streams(graph: FunctionGraph) -> dict[int, Shape]:
    """The usual shape of each input of `graph` that is such a state."""
    states = list(_nameless(graph))
    if not states or not any(draws(n.op.name) for inside, _ in graphs(graph) for n in inside.applies):
        return {}
    return {v: (_number(graph, v), _NUMBERS) for v in states}


def _nameless(graph: FunctionGraph) -> Iterator[int]:
    for entry in graph.inputs:
        variable = graph.variables[entry.variable]
        unnamed = not variable.name or variable.name.startswith("id ")
        if unnamed and variable.type.dtype == "int32" and variable.type.shape == (None, None):
            yield variable.id


def draws(name: str) -> bool:
    """Whether Ops of this class draw from such a state, and return the next state first."""
    return name.endswith(("mrg_uniform", "mrg_uniform_base"))


def _number(graph: FunctionGraph, state: int) -> int:
    """Number of streams that the framework chooses from the size of the first sample."""
    for node in graph.applies:
        size = graph.variables[node.inputs[1]] if draws(node.op.name) and node.inputs[:1] == (state,) and len(node.inputs) > 1 else None
        if isinstance(size, Constant) and isinstance(size.value, tuple):
            n = 1
            for length in size.value:
                n *= length if isinstance(length, int) else USUAL
            return min(n // _FEW if n > _FEW else n, USUAL)
    return USUAL
