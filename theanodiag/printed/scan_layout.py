"""Restores the layout of a printed Scan as a live one has it: inner inputs in order, counts and taps, and what it overwrites."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..ir import FunctionGraph, GraphInput, Role, Type, TypeKind, Variable
from ..ir.graph import NUMBER
from ..ops import IndexMap
from .op_params import Params
from .scan_parts import Outer, Parts, parts_of

_TAP = re.compile(r"\[t-(\d{1,3})\]")


class Counted(NamedTuple):
    """A Scan's layout as recovered from the text."""

    inner: FunctionGraph
    """The inner graph, with inputs in the order of a live graph and the layout in its `info`."""
    outputs: tuple[Type, ...]
    """Types of all outputs."""
    destroy: IndexMap
    """destroy_map of the Scan."""
    view: IndexMap
    """In PyTensor, states that are passed on unchanged. Source: PyTensor 3.0.7 scan/op.py, `Scan.__init__`."""


def counted(outer: Outer, inner: FunctionGraph, params: Params) -> Counted | None:
    """The layout of the Scan whose inner graph is printed as `inner`; None where the roles of its inputs are not clear."""
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
    made = _arranged(outer, inner, parts, taps, {**_info(outer, parts, taps, results), **number})
    destroy = _overwritten(parts, params.get("inplace_outputs"))
    states = range(parts.n_recurrences + parts.n_lengths, parts.n_outputs)
    view = {k: (at,) for k in states if k not in destroy and (at := parts.buffer_of(k)) is not None}
    return Counted(made, _types(outer, parts, taps, results), destroy, view)


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
    """The taps: from names (`x[t-2]`), else the usual ones; None where neither fits."""
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
    """For each inner input: position of the outer input that feeds it, its number among those fed by it, and the output that updates it."""
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
    """Types of the Scan's outputs: those of their buffers, or stacked inner outputs."""
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
