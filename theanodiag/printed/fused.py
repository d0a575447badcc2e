"""The inputs that a fused loop of PyTensor 3.3 may overwrite, according to its inner graph.

Source: PyTensor 3.3.7 tensor/rewriting/fused_elemwise.py (`FuseElemwise`): inputs that are read through an index are protected; a result
that is summed up overwrites nothing; one that is written through an index always overwrites its target. If this forbids what the loop
overwrote before fusion, inputs are chosen again, without preferring those that are updated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..ir import Apply, FunctionGraph, Type
from ..ops import IndexMap

FUSED = frozenset({"FusedElemwise", "IndexedElemwise"})
"""Loops that PyTensor fuses from several nodes after choosing in-place nodes, part of which it then chooses again."""
_NUMBER = re.compile(r"i(\d{1,4})$")
_PICKS = ("AdvancedSubtensor", "AdvancedSubtensor1")
_WRITES = ("AdvancedIncSubtensor", "AdvancedIncSubtensor1")


class Loop(NamedTuple):
    """The inputs and outputs of a fused loop."""

    inputs: frozenset[int]
    """Positions of the inputs that are read elementwise."""
    writes: IndexMap
    """Outputs that always overwrite an input, since they are written through an index."""
    reads: tuple[tuple[int | None, Type], ...]
    """What the loop reads: (position among the inputs or None if picked by an index, type inside the loop) of each."""
    makes: tuple[tuple[int | None, Type], ...]
    """What the loop computes: (position among the outputs or None if reduced or written through an index, type) of each."""

    def suits(self, n_inputs: int, n_outputs: int) -> bool:
        """Whether a node with these numbers of inputs and outputs has all that the loop reads and writes; a damaged text may lack some."""
        read = (at for at, _ in self.reads if at is not None)
        results = (at for at, _ in self.makes if at is not None)
        ins = (*read, *(i for row in self.writes.values() for i in row))
        return max(ins, default=-1) < n_inputs and max((*results, *self.writes), default=-1) < n_outputs


def loops_of(names: Sequence[str], inner: Mapping[int, FunctionGraph]) -> dict[int, Loop]:
    """The fused loops that can be read, by node; `names` are the class names of nodes, `inner` their inner graphs."""
    return {i: loop for i, graph in inner.items() if names[i] in FUSED and (loop := loop_of(graph)) is not None}


def loop_of(inner: FunctionGraph) -> Loop | None:
    """The loop with inner graph `inner`; None where it cannot be read."""
    numbers = {i.variable: int(m[1]) for i in inner.inputs if (m := _NUMBER.match(inner.variables[i.variable].name or ""))}
    cores = [node for node in inner.applies if node.op.name == "Elemwise"]
    if len(cores) != 1 or len(numbers) != len(inner.inputs):
        return None
    plain, writes = {}, {}
    for k, v in enumerate(inner.outputs):
        maker = inner.maker(v)
        if maker is cores[0]:
            plain[v] = k
        elif maker is not None and maker.op.name in _WRITES and maker.inputs and maker.inputs[0] in numbers:
            writes[k] = (numbers[maker.inputs[0]],)
    reads = tuple(_reads(inner, cores[0], numbers))
    makes = tuple((plain.get(v), inner.variables[v].type) for v in _originals(cores[0]))
    return Loop(frozenset(at for at, _ in reads if at is not None), writes, reads, makes)


def unmoved(inner: FunctionGraph, variable: int) -> int:
    """The Variable behind a DimShuffle that adds dimensions; else `variable` itself."""
    maker = inner.maker(variable)
    return maker.inputs[0] if maker is not None and maker.inputs and maker.op.name == "DimShuffle" else variable


def _reads(inner: FunctionGraph, core: Apply, numbers: Mapping[int, int]) -> Iterator[tuple[int | None, Type]]:
    """Yields what the loop reads, behind Ops that only add dimensions."""
    for v in core.inputs:
        source = unmoved(inner, v)
        maker = inner.maker(source)
        if source in numbers or (maker is not None and maker.op.name in _PICKS):
            yield numbers.get(source), inner.variables[v].type


def _originals(core: Apply) -> Iterator[int]:
    """Yields the results that the loop had before fusion, without duplicates."""
    scalars = core.op.inner.outputs if core.op.inner is not None else ()
    for k, v in enumerate(core.outputs):
        if len(scalars) != len(core.outputs) or scalars[k] not in scalars[:k]:
            yield v
