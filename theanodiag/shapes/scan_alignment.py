"""Infers which inputs of a Scan are read step by step, for texts that print no types.

Sequences and recurrences come first among the outer inputs; where they end is found by trial: the graph of one step must be consistent, and
its outputs must fit the buffers into which they are written.
Sources: Theano 1.0.5 scan_module/scan_op.py, PyTensor 3.3.7 scan/op.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..ir import Apply, FunctionGraph, Shape, ShapeTable, Unknown
from ..ir.graph import FED_BY
from ..ops import is_buffer, op_info
from .consistency import product_disagrees
from .infer import infer

_STEP = re.compile(r"\[t(?:[-+]\d{1,3})?\]$")
_NUMBERED = re.compile(r"\*?\*?i?\d+")
MAX_TRIES = 24
"""Largest number of positions that are tried."""


class Stepped(NamedTuple):
    """How the inner inputs of a Scan read the outer ones."""

    fed_by: Mapping[int, int]
    """Inner input Variable -> position of the outer input that feeds it."""
    last: int
    """Position of the last outer input that is read step by step."""
    table: ShapeTable
    """Shapes of one step."""


def stepped(graph: FunctionGraph, node: Apply, table: ShapeTable) -> Stepped | None:
    """The most likely reading of the Scan `node`; None where the links of its inputs or their shapes are unknown."""
    inner = node.op.inner
    fed = fed_by(inner, len(node.inputs)) if inner is not None else None
    outer = [table.shape(v) for v in node.inputs]
    if inner is None or fed is None or any(isinstance(outer[p], Unknown) for p in fed.values()):
        return None
    end = next((p for p in range(1, len(outer)) if outer[p] == () or (isinstance(outer[p], Unknown) and p in fed.values())), len(outer))
    best: tuple[object, Stepped] | None = None
    for last in range(min(end, MAX_TRIES)):
        reading = Stepped(fed, last, infer(inner, dict(_shapes(fed, outer, last))))
        score = _score(graph, node, inner, reading, outer, table)
        if best is None or score > best[0]:  # type: ignore[operator]
            best = score, reading
    return None if best is None else best[1]


def fed_by(inner: FunctionGraph, n_outer: int) -> dict[int, int] | None:
    """Inner input Variable -> position of the outer input that feeds it; None if the text does not show it.

    Numbered inner inputs have the order of the outer ones, so of several candidates the next is taken. One that links to another Scan
    (PyTensor 3.3 prints inputs that both have once) is fed by the next outer input that no other names.
    """
    rows = inner.info.get(FED_BY)
    if not isinstance(rows, list) or len(rows) != len(inner.inputs):
        return None
    names = [inner.variables[i.variable].name or "" for i in inner.inputs]
    named, numbered = {p for places in rows for p in places}, all(map(_NUMBERED.match, names))
    positions: dict[int, int] = {}
    at = 0
    for entry, name, places in zip(inner.inputs, names, rows):
        if not places:
            places = [p for p in range(at + 1, n_outer) if p not in named and numbered]
        if not places:
            return None
        if numbered:
            at = next((p for p in places if p >= at), places[-1])
        elif _STEP.search(name):
            at = places[0]
        else:
            at = next((p for p in reversed(places) if p not in positions.values()), places[-1])
        positions[entry.variable] = at
    return positions


def _shapes(fed: Mapping[int, int], outer: Sequence[Shape | Unknown], last: int) -> Iterator[tuple[int, Shape]]:
    for v, p in fed.items():
        shape = outer[p]
        if not isinstance(shape, Unknown):
            yield v, shape[1:] if p <= last else shape


def _score(
    graph: FunctionGraph, node: Apply, inner: FunctionGraph, reading: Stepped, outer: Sequence[Shape | Unknown], table: ShapeTable
) -> tuple[object, ...]:
    """How well a reading fits, for comparison: names and types of inner inputs, consistency of the nodes inside, fit of the buffers."""
    results = [reading.table.shape(v) for v in inner.outputs]
    ends = [results.pop()] if node.op.params.get("as_while") is True and results else []
    unknown = sum(isinstance(s, Unknown) for s in reading.table.shapes.values())
    written = max(_written(graph, node, reading.last, results, outer, table), default=(False,))
    wrong = sum(isinstance(s, tuple) and s != () for s in ends)  # a stopping condition is a scalar
    return (-_misnamed(inner, reading, outer), -_disagreeing(inner, reading.table) - wrong, -unknown, *written)


def _misnamed(inner: FunctionGraph, reading: Stepped, outer: Sequence[Shape | Unknown]) -> int:
    """Number of inner inputs whose name or type contradicts the reading."""
    wrong = 0
    for v, p in reading.fed_by.items():
        variable, shape = inner.variables[v], outer[p]
        name = variable.name or ""
        wrong += _STEP.search(name) is not None and p > reading.last
        if variable.type.text and variable.type.has_shape and not isinstance(shape, Unknown):
            wrong += variable.type.ndim != len(shape) - (p <= reading.last)
    return wrong


def _disagreeing(inner: FunctionGraph, table: ShapeTable) -> int:
    """Number of nodes whose inputs' shapes contradict each other."""
    wrong = 0
    for node in inner.applies:
        name, shapes = node.op.name.removeprefix("Gpu"), [table.shape(v) for v in node.inputs]
        factors = op_info(name).factors
        if factors is not None and len(shapes) > max(factors):
            first, second = (shapes[p] for p in factors)
            wrong += product_disagrees(first, second) or () in (first, second)
        elif name == "Elemwise" or node.op.params.get("scalar_text"):
            wrong += not _broadcast([s for s in shapes if not isinstance(s, Unknown)])
    return wrong


def _broadcast(shapes: Sequence[Shape]) -> bool:
    """Whether the shapes have equal numbers of dimensions, and lengths that are equal or 1."""
    if len({len(s) for s in shapes}) > 1:
        return False
    return all(len({d for d in column if isinstance(d, int)} - {1}) < 2 for column in zip(*shapes))


def _written(
    graph: FunctionGraph, node: Apply, last: int, results: Sequence[Shape | Unknown], outer: Sequence[Shape | Unknown], table: ShapeTable
) -> Iterator[tuple[bool, int, int, int]]:
    """Yields a rank for each split of a Scan's inputs into sequences, recurrences, states and lengths; the largest is the best."""
    n, steps = len(results), table.values.get(node.inputs[0])
    is_buffer = [_is_buffer(graph, v) for v in node.inputs]
    long = [isinstance(s, tuple) and s[:1] == (steps,) for s in outer]
    for seqs in range(last + 1):
        recurrences = last - seqs
        for states in range(n - recurrences + 1):
            lengths = range(last + states + 1, last + states + 1 + n - recurrences - states)
            fits = lengths.stop <= len(outer) and all(outer[p] == () for p in lengths)
            fits = fits and last + states < len(outer)
            fits = fits and all(_alike(results[k], outer[seqs + 1 + k], 1) for k in range(recurrences))
            fits = fits and all(_alike(results[n - states + k], outer[last + 1 + k], 0) for k in range(states))
            buffers = sum(is_buffer[seqs + 1 : last + 1])
            yield fits, 2 * buffers - recurrences, sum(long[1 : seqs + 1]) - sum(not x for x in long[1 : seqs + 1]), -states


def _alike(result: Shape | Unknown, outer: Shape | Unknown, less: int) -> bool:
    if isinstance(result, Unknown) or isinstance(outer, Unknown):
        return True
    known = [(a, b) for a, b in zip(result, outer[less:]) if isinstance(a, int) and isinstance(b, int)]
    return len(outer) == len(result) + less and all(a == b for a, b in known)


def _is_buffer(graph: FunctionGraph, variable: int) -> bool:
    """Whether a Variable, or what it is a part of, was created to be written into."""

    def maker(v: int) -> tuple[str, Sequence[int]] | None:
        owner = graph.variables[v].owner
        return None if owner is None else (graph.applies[owner].op.name, graph.applies[owner].inputs)

    return is_buffer(variable, maker)
