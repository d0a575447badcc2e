"""Restores the layout of a printed Scan as in a live graph: inner inputs in order, counts and taps, and what the Scan overwrites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..ir import FunctionGraph, GraphInput, Role, Type, TypeKind, Variable
from ..ir.graph import NUMBER
from ..ops import IndexMap
from ..ops.parameters import Params


@dataclass(frozen=True)
class Outer:
    """What the text shows of a Scan outside of its inner graph: its own line and the lines of its inputs."""

    ids: tuple[str, ...]
    """Printed id of each outer input of the Scan."""
    types: tuple[Type, ...]
    """Type of each outer input."""
    buffers: tuple[bool, ...]
    """Whether each outer input was created as a buffer to write into."""
    out_types: tuple[Type, ...]
    """Types of the outputs, as far as they are printed."""
    as_while: bool
    """Whether a stopping condition may end the loop earlier."""
    gradient: bool
    """Whether it is the gradient of another Scan, whose recurrences write where they read."""


@dataclass(frozen=True)
class Parts:
    """The roles of a Scan's outer inputs: how many of them are sequences, recurrences, shared values and lengths."""

    links: Mapping[int, tuple[int, ...]]
    """Position of an outer input -> numbers of the inner inputs that it feeds."""
    n_seqs: int
    """Number of the Scan's sequences."""
    n_mapped: int
    """Number of sequences and recurrences together; both are read step by step."""
    n_shared: int
    """Number of the Scan's shared values."""
    n_lengths: int
    """Number of outputs without a recurrence, each of which has a length input."""
    n_written: int
    """Number of inner outputs that mit-mot recurrences write (gradients only)."""

    @property
    def n_recurrences(self) -> int:
        """Number of recurrences of the Scan."""
        return self.n_mapped - self.n_seqs

    @property
    def n_outputs(self) -> int:
        """Number of outputs of the Scan."""
        return self.n_recurrences + self.n_lengths + self.n_shared

    def buffer_of(self, output: int) -> int | None:
        """Returns the position of the outer input whose memory output number `output` is written into; None if there is none."""
        if output < self.n_recurrences:
            return 1 + self.n_seqs + output
        shared = output - self.n_recurrences - self.n_lengths
        return 1 + self.n_mapped + shared if shared >= 0 else None


def parts_of(outer: Outer, inner: Sequence[tuple[str, Type]], results: Sequence[Type]) -> Parts | None:
    """Returns the roles of a Scan's outer inputs, from the (outer id, type) of its inner inputs and the types of its inner outputs; None if
    they are ambiguous.
    """
    linked = _links(outer, inner)
    if linked is None:
        return None
    links, mapped = linked
    n = len(outer.types)
    end = 1
    while end < n and (end in mapped or (end not in links and outer.types[end].ndim > 0)):
        end += 1
    lengths = [p for p in range(end, n) if p not in links and _is_count(outer.types[p])]
    if any(p in mapped for p in range(end, n)) or lengths != list(range(lengths[0], lengths[0] + len(lengths)) if lengths else []):
        return None
    if lengths:  # some or all of the last may be scalars that no step reads
        fewer = (_split(outer, links, end - 1, lengths[0] - end, k, results) for k in range(len(lengths), 0, -1))
        fit = next((p for p in fewer if p is not None), None)
        if fit is not None:
            return fit
    ways = [(e, s) for e in _ends(links, end) for s in range(min(n - e, len(results)) + 1)]
    candidates = [p for e, s in ways if (p := _split(outer, links, e - 1, s, 0, results)) is not None]
    return max(candidates, key=lambda p: _as_buffers(outer, p), default=None)


def _ends(links: Mapping[int, tuple[int, ...]], end: int) -> Iterator[int]:
    """Yields the positions at which sequences and recurrences may end: trailing inputs that feed nothing may be other values."""
    yield end
    while end > 1 and end - 1 not in links:
        end -= 1
        yield end


def _links(outer: Outer, inner: Sequence[tuple[str, Type]]) -> tuple[dict[int, tuple[int, ...]], set[int]] | None:
    """(outer input -> the inner inputs that it feeds, outer inputs that are read step by step); None if this is ambiguous.

    An inner input may carry the link of another Scan, because PyTensor 3.3 prints inner graphs that two Scans share only once. It is then
    fed by the next outer input that no other inner input names.
    """
    links: dict[int, tuple[int, ...]] = {}
    mapped: set[int] = set()
    named, last = {ident for ident, _ in inner}, 0
    for number, (ident, kind) in enumerate(inner):
        fits = [p for p in range(1, len(outer.ids)) if outer.types[p].is_printed and outer.types[p].ndim - kind.ndim in (0, 1)]
        here = [p for p in fits if outer.ids[p] == ident] or [p for p in fits if p > last and outer.ids[p] not in named and p not in links]
        if not kind.text or not ident or not here:
            return None
        # Lengths, which no step reads, come before the non-sequences, and may be the same Variable.
        late = _is_count(kind) and not any(outer.types[p].ndim for p in here)
        last = next((p for p in (reversed(here) if late else here) if p not in links), here[-1])
        links[last] = (*links.get(last, ()), number)
        if outer.types[last].ndim > kind.ndim:
            mapped.add(last)
    return links, mapped


def _is_count(kind: Type) -> bool:
    return kind.ndim == 0 and (kind.dtype or "").startswith(("int", "uint"))


def _split(
    outer: Outer, links: Mapping[int, tuple[int, ...]], n_mapped: int, n_shared: int, n_lengths: int, results: Sequence[Type]
) -> Parts | None:
    """The roles with these counts, if they fit the inner outputs; else None."""
    n_results = len(results) - outer.as_while
    several = [p for p in range(1, n_mapped + 1) if len(links.get(p, ())) > 1]
    if outer.gradient and several:
        n_seqs = several[0] - 1
        written = n_results - (n_mapped - n_seqs - len(several)) - n_lengths - n_shared
        parts = Parts(links, n_seqs, n_mapped, n_shared, n_lengths, written)
        return parts if written >= len(several) and parts.n_outputs >= len(outer.out_types) else None
    n_seqs = n_mapped - (n_results - n_lengths - n_shared)
    parts = Parts(links, n_seqs, n_mapped, n_shared, n_lengths, 0)
    return parts if 0 <= n_seqs <= n_mapped and _typed_alike(outer, parts, results) else None


def _typed_alike(outer: Outer, parts: Parts, results: Sequence[Type]) -> bool:
    """Whether each inner output can be written into its buffer, by type."""
    for output in range(parts.n_outputs):
        at = parts.buffer_of(output)
        if at is None:
            continue
        if at >= len(outer.types) or results[output].dtype != outer.types[at].dtype:
            return False
        if results[output].ndim != outer.types[at].ndim - (output < parts.n_recurrences):
            return False
        if output < len(outer.out_types) and outer.out_types[output].text and outer.out_types[output].ndim != outer.types[at].ndim:
            return False
    return parts.n_outputs >= len(outer.out_types)


def _as_buffers(outer: Outer, parts: Parts) -> tuple[int, int]:
    """Sort key: how many recurrences were created as buffers, then how few shared values there are."""
    buffers = outer.buffers[1 + parts.n_seqs : 1 + parts.n_mapped]
    return sum(buffers) - sum(not b for b in buffers), -parts.n_shared


_TAP = re.compile(r"\[t-(\d{1,3})\]")


class ScanLayout(NamedTuple):
    """A Scan's layout as recovered from the text."""

    inner: FunctionGraph
    """The inner graph, with inputs in the order of a live graph and the layout in its `info`."""
    outputs: tuple[Type, ...]
    """Types of the Scan's outputs."""
    destroy: IndexMap
    """destroy_map of the Scan."""
    view: IndexMap
    """In PyTensor, states that are passed on unchanged. Source: PyTensor 3.0.7 scan/op.py, `Scan.__init__`."""


def recover_layout(outer: Outer, inner: FunctionGraph, params: Params) -> ScanLayout | None:
    """Recovers the layout of the Scan whose inner graph is printed as `inner`; None if the roles of its inputs are ambiguous."""
    ids = inner.info.get("outer_ids")
    if not isinstance(ids, list) or len(ids) != len(inner.inputs):
        return None
    variables = [inner.variables[i.variable] for i in inner.inputs]
    parts = parts_of(outer, [(i, v.type) for i, v in zip(ids, variables)], [inner.variables[v].type for v in inner.outputs])
    taps = None if parts is None else _taps(parts, variables)
    if parts is None or taps is None:
        return None
    inner = _written_first(inner, parts, taps)
    results = [inner.variables[v].type for v in inner.outputs]
    number = {NUMBER: inner.info[NUMBER]} if NUMBER in inner.info else {}
    graph = _arranged(outer, inner, parts, taps, {**_info(outer, parts, taps, results), **number})
    destroy = _overwritten(parts, params.get("inplace_outputs"))
    states = range(parts.n_recurrences + parts.n_lengths, parts.n_outputs)
    view = {k: (at,) for k in states if k not in destroy and (at := parts.buffer_of(k)) is not None}
    return ScanLayout(graph, _types(outer, parts, taps, results), destroy, view)


def _written_first(inner: FunctionGraph, parts: Parts, taps: Taps) -> FunctionGraph:
    """`inner` with the outputs that mit-mot recurrences write before its other outputs.

    Theano and Aesara print them last once the function is compiled, PyTensor 3 first. They add to what the recurrence held.
    """
    n = parts.n_written
    last = (*inner.outputs[len(inner.outputs) - n :], *inner.outputs[: len(inner.outputs) - n])
    held = []
    for k, (read, wrote) in enumerate(zip(taps.mit_mot, taps.written)):
        links = parts.links[1 + parts.n_seqs + k]
        held += [{inner.inputs[links[i]].variable for i in range(1, min(len(read), len(links)))}] * len(wrote)
    for outputs in (inner.outputs, last):
        if all(sources & _leaves(inner, v) for v, sources in zip(outputs, held)):
            return replace(inner, outputs=outputs)
    return inner


def _leaves(graph: FunctionGraph, variable: int) -> set[int]:
    """The inputs and constants from which a Variable is computed."""
    seen, todo = set(), [variable]
    while todo:
        v = todo.pop()
        owner = graph.variables[v].owner
        if v not in seen and owner is not None:
            todo += graph.applies[owner].inputs
        seen.add(v)
    return {v for v in seen if graph.variables[v].owner is None}


class Taps(NamedTuple):
    """Taps of the recurrences, as in live graphs."""

    mit_mot: list[list[int]]
    """Input taps of each mit-mot recurrence."""
    written: list[list[int]]
    """Output taps of each mit-mot recurrence."""
    mit_sot: list[list[int]]
    """Taps of each recurrence that reads several earlier steps."""
    sit_sot: list[list[int]]
    """Taps of each recurrence that reads the previous step."""


def _taps(parts: Parts, variables: Sequence[Variable]) -> Taps | None:
    """The taps: from names (`x[t-2]`), else the usual ones; None if neither fits."""
    rows = [parts.links.get(1 + parts.n_seqs + k, ()) for k in range(parts.n_recurrences)]
    if not parts.n_written:
        read = [_named_taps([variables[i] for i in row]) for row in rows]
        several = [t for t in read if t != [-1]]
        return Taps([], [], several, read[len(several) :]) if read[: len(several)] == several else None
    first = [len(row) for row in rows if len(row) > 1]
    if sum(n - 1 for n in first) != parts.n_written or any(len(row) > 1 for row in rows[len(first) :]):
        return None
    written = [list(range(n - 1, 0, -1)) for n in first]
    return Taps([[0, *w] for w in written], written, [], [[-1] for _ in rows[len(first) :]])


def _named_taps(row: Sequence[Variable]) -> list[int]:
    named = [m for v in row if (m := _TAP.search(v.name or ""))]
    if len(named) == len(row) and len({m[1] for m in named}) == len(row):
        return sorted(-int(m[1]) for m in named) or [-1]
    return list(range(-len(row), 0)) or [-1]


def _info(outer: Outer, parts: Parts, taps: Taps, results: Sequence[Type]) -> dict[str, object]:
    vectors = [_is_vector(outer, parts, k) for k in range(parts.n_recurrences)]
    # Indexes inner outputs by positions of outer ones, as Theano 1.0.5 scan_module/scan_op.py and PyTensor 3.0.7 do.
    lengths = results[parts.n_recurrences : parts.n_recurrences + parts.n_lengths]
    vectors += [kind.kind is TypeKind.TENSOR and kind.ndim == 0 for kind in lengths]
    return {
        "kind": "scan", "n_seqs": parts.n_seqs, "n_mit_mot": len(taps.mit_mot), "n_mit_sot": len(taps.mit_sot),
        "n_sit_sot": len(taps.sit_sot), "n_nit_sot": parts.n_lengths, "n_shared_outs": parts.n_shared,
        "n_non_seqs": len(outer.types) - 1 - parts.n_mapped - parts.n_shared - parts.n_lengths, "mit_mot_in_slices": taps.mit_mot,
        "mit_mot_out_slices": taps.written, "mit_sot_in_slices": taps.mit_sot, "sit_sot_in_slices": taps.sit_sot,
        "n_mit_mot_outs": parts.n_written, "mitmots_preallocated": [True] * parts.n_written, "as_while": outer.as_while,
        "allow_gc": False, "vector_outs": vectors,
    }  # fmt: skip


def _is_vector(outer: Outer, parts: Parts, output: int) -> bool:
    at = parts.buffer_of(output)
    return at is not None and outer.types[at].ndim == 1


def _arranged(outer: Outer, inner: FunctionGraph, parts: Parts, taps: Taps, info: Mapping[str, object]) -> FunctionGraph:
    """`inner` with its inputs in the order of a live graph, unprinted ones added; mit-mot outputs become updates of the inputs read."""
    variables = list(inner.variables)
    outputs = (*inner.outputs[parts.n_written :], *inner.outputs[: parts.n_written])
    returned = len(outputs) - parts.n_written
    slots = _slots(outer, parts, taps)
    rows: list[GraphInput] = []
    for at, number, update in slots:
        known = parts.links.get(at, ())
        if number < len(known):
            variable = inner.inputs[known[number]].variable
        else:
            variable = len(variables)
            variables.append(Variable(variable, _step(outer.types[at]) if at <= parts.n_mapped else outer.types[at]))
        role = Role.ARGUMENT if update is None else Role.DEFAULT
        rows.append(GraphInput(variable, role, update=None if update is None else returned + update))
    return replace(inner, inputs=tuple(rows), outputs=outputs, variables=tuple(variables), returned=returned, info=info)


def _slots(outer: Outer, parts: Parts, taps: Taps) -> list[tuple[int, int, int | None]]:
    """For each inner input: (position of the outer input that feeds it, its number among the inner inputs fed by that, the output that
    updates it or None).
    """
    rows: list[tuple[int, int, int | None]] = [(1 + k, 0, None) for k in range(parts.n_seqs)]
    written = 0
    for k, (read, wrote) in enumerate(zip(taps.mit_mot, taps.written)):
        rows += [(1 + parts.n_seqs + k, i, written + wrote.index(tap) if tap in wrote else None) for i, tap in enumerate(read)]
        written += len(wrote)
    first = 1 + parts.n_seqs + len(taps.mit_mot)
    rows += [(first + k, i, None) for k, read in enumerate((*taps.mit_sot, *taps.sit_sot)) for i in range(len(read))]
    rows += [(1 + parts.n_mapped + k, 0, None) for k in range(parts.n_shared)]
    return rows + [(p, 0, None) for p in range(1 + parts.n_mapped + parts.n_shared + parts.n_lengths, len(outer.types))]


def _step(kind: Type) -> Type:
    """The type of one step of an outer Variable."""
    shape = kind.shape[1:]
    return Type(kind.kind, kind.dtype, shape, f"{kind.text.partition('(')[0]}({kind.dtype}, {len(shape)}D)")


def _types(outer: Outer, parts: Parts, taps: Taps, results: Sequence[Type]) -> tuple[Type, ...]:
    """Types of the Scan's outputs: those of their buffers, or for outputs without a buffer the stacked type of the inner output."""
    rows = []
    for output in range(parts.n_outputs):
        at = parts.buffer_of(output)
        rows.append(outer.types[at] if at is not None else _stack(results[parts.n_written + output - len(taps.mit_mot)]))
    return tuple(rows)


def _stack(kind: Type) -> Type:
    shape = (None, *kind.shape)
    return Type(kind.kind, kind.dtype, shape, f"{kind.text.partition('(')[0]}({kind.dtype}, {len(shape)}D)")


def _overwritten(parts: Parts, which: object) -> IndexMap:
    """The outputs that the text says are in place, each over its own buffer.

    `all` means those that keep a value of each step, and no other.
    Source: `Scan.__str__` in Theano 1.0.5 and PyTensor 3.3.7.
    """
    among = range(parts.n_recurrences) if which == "all" else which if isinstance(which, list) else ()
    return {k: (at,) for k in range(parts.n_outputs) if k in among and (at := parts.buffer_of(k)) is not None}
