"""What a fused loop of PyTensor 3.3 may overwrite, from the graph inside of it.

Source: PyTensor 3.3.7 tensor/rewriting/fused_elemwise.py (`FuseElemwise`): what is read through an index is protected, a result that is
summed up is none, and one that is written through an index goes over its target, always. Where what the plain loop overwrote is not so,
it is decided anew, and new values of inputs do not go first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..ir import Apply, FunctionGraph, Type
from ..ops import IndexMap

FUSED = frozenset({"FusedElemwise", "IndexedElemwise"})
"""Loops that PyTensor makes of several nodes after it has decided what works in place, and for which it decides some of that anew."""
_NUMBER = re.compile(r"i(\d{1,4})$")
_PICKS = ("AdvancedSubtensor", "AdvancedSubtensor1")
_WRITES = ("AdvancedIncSubtensor", "AdvancedIncSubtensor1")


class Loop(NamedTuple):
    """A fused loop."""

    inputs: frozenset[int]
    """Positions of the inputs that are read entry by entry."""
    writes: IndexMap
    """Outputs that go over an input."""
    reads: tuple[tuple[int | None, Type], ...]
    """What the loop reads: the position of each among the inputs, None for what is picked by an index, and its type in the loop."""
    makes: tuple[tuple[int | None, Type], ...]
    """What it makes: the position of each among the outputs, None for what is summed up or written through an index, and its type."""

    def suits(self, n_inputs: int, n_outputs: int) -> bool:
        """Whether a node has all that it reads and makes: of a damaged text it may not."""
        read = (at for at, _ in self.reads if at is not None)
        made = (at for at, _ in self.makes if at is not None)
        ins = (*read, *(i for row in self.writes.values() for i in row))
        return max(ins, default=-1) < n_inputs and max((*made, *self.writes), default=-1) < n_outputs


def loops_of(names: Sequence[str], inner: Mapping[int, FunctionGraph]) -> dict[int, Loop]:
    """The fused loops among nodes of these `names` that are clear, by node; `inner` are the graphs inside of nodes."""
    return {i: loop for i, graph in inner.items() if names[i] in FUSED and (loop := loop_of(graph)) is not None}


def loop_of(inner: FunctionGraph) -> Loop | None:
    """The loop whose graph is `inner`; None where that is not clear."""
    numbers = {i.variable: int(m[1]) for i in inner.inputs if (m := _NUMBER.match(inner.variables[i.variable].name or ""))}
    cores = [node for node in inner.applies if node.op.name == "Elemwise"]
    if len(cores) != 1 or len(numbers) != len(inner.inputs):
        return None
    plain, writes = {}, {}
    for k, v in enumerate(inner.outputs):
        maker = _maker(inner, v)
        if maker is cores[0]:
            plain[v] = k
        elif maker is not None and maker.op.name in _WRITES and maker.inputs and maker.inputs[0] in numbers:
            writes[k] = (numbers[maker.inputs[0]],)
    reads = tuple(_reads(inner, cores[0], numbers))
    makes = tuple((plain.get(v), inner.variables[v].type) for v in _originals(cores[0]))
    return Loop(frozenset(at for at, _ in reads if at is not None), writes, reads, makes)


def _maker(inner: FunctionGraph, variable: int) -> Apply | None:
    """The node that makes a result."""
    owner = inner.variables[variable].owner
    return None if owner is None else inner.applies[owner]


def unmoved(inner: FunctionGraph, variable: int) -> int:
    """What a Variable is, without dimensions that are added."""
    maker = _maker(inner, variable)
    return maker.inputs[0] if maker is not None and maker.inputs and maker.op.name == "DimShuffle" else variable


def _reads(inner: FunctionGraph, core: Apply, numbers: Mapping[int, int]) -> Iterator[tuple[int | None, Type]]:
    """What the loop reads, behind what only adds dimensions."""
    for v in core.inputs:
        source = unmoved(inner, v)
        maker = _maker(inner, source)
        if source in numbers or (maker is not None and maker.op.name in _PICKS):
            yield numbers.get(source), inner.variables[v].type


def _originals(core: Apply) -> Iterator[int]:
    """The results of the loop that were there before it was fused: none that is the same as one before it."""
    scalars = core.op.inner.outputs if core.op.inner is not None else ()
    for k, v in enumerate(core.outputs):
        if len(scalars) != len(core.outputs) or scalars[k] not in scalars[:k]:
            yield v
