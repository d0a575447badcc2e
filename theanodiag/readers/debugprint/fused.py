"""What a fused loop of PyTensor 3.3 may overwrite, from the graph inside of it.

Source: PyTensor 3.3.7 tensor/rewriting/fused_elemwise.py (`FuseElemwise`): what is read through an index is protected, a result that is
summed up is none, and one that is written through an index goes over its target, always.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...ir import Apply, FunctionGraph
from .maps import IndexMap

FUSED = frozenset({"FusedElemwise", "IndexedElemwise"})
"""Loops that PyTensor makes of several nodes after it has decided what works in place, and for which it decides some of that anew."""
_NUMBER = re.compile(r"i(\d{1,4})$")
_WRITES = ("AdvancedIncSubtensor", "AdvancedIncSubtensor1")


class Loop(NamedTuple):
    """A fused loop."""

    inputs: frozenset[int]
    """Positions of the inputs that are read entry by entry."""
    outputs: frozenset[int]
    """Positions of the outputs that are written entry by entry."""
    writes: IndexMap
    """Outputs that go over an input."""


def loops_of(names: Sequence[str], inner: Mapping[int, FunctionGraph]) -> dict[int, Loop]:
    """The fused loops among nodes of these `names` that are clear, by node; `inner` are the graphs inside of nodes."""
    return {i: loop for i, graph in inner.items() if names[i] in FUSED and (loop := loop_of(graph)) is not None}


def loop_of(inner: FunctionGraph) -> Loop | None:
    """The loop whose graph is `inner`; None where that is not clear."""
    numbers = {i.variable: int(m[1]) for i in inner.inputs if (m := _NUMBER.match(inner.variables[i.variable].name or ""))}
    cores = [node for node in inner.applies if node.op.name == "Elemwise"]
    if len(cores) != 1 or len(numbers) != len(inner.inputs):
        return None
    plain, writes = set(), {}
    for k, v in enumerate(inner.outputs):
        maker = _maker(inner, v)
        if maker is cores[0]:
            plain.add(k)
        elif maker is not None and maker.op.name in _WRITES and maker.inputs[0] in numbers:
            writes[k] = (numbers[maker.inputs[0]],)
    return Loop(frozenset(numbers[v] for v in _unmoved(inner, cores[0]) if v in numbers), frozenset(plain), writes)


def _maker(inner: FunctionGraph, variable: int) -> Apply | None:
    """The node that makes a result."""
    owner = inner.variables[variable].owner
    return None if owner is None else inner.applies[owner]


def _unmoved(inner: FunctionGraph, core: Apply) -> Iterator[int]:
    """What the loop reads, behind what only adds dimensions."""
    for v in core.inputs:
        maker = _maker(inner, v)
        yield maker.inputs[0] if maker is not None and maker.op.name == "DimShuffle" else v
