"""What XLA needs at most for one call, where its compiler was not asked: from the graph and its shapes alone.

XLA fuses what it can and lets buffers share memory as their lifetimes allow. Neither is counted on here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ir import Constant, FunctionGraph, Shape, ShapeTable, TypeKind, Unknown, nbytes
from ..profile import UnknownSize
from ..script import XlaFigures
from .conversion import LEAVES, NARROW, POINTER, State, is_generator, used
from .scratch import scratch

ROUNDING = 128
"""XLA aligns each buffer; so much is added to each."""
SMALL = 4096
"""Flags, counters and keys of all kinds."""


@dataclass(frozen=True)
class Bound:
    """The figures, and the Variables whose sizes are not known: with any the figures are lower bounds of the bound."""

    figures: XlaFigures
    unknown: tuple[UnknownSize, ...] = ()


def bytes_of(shape: Shape | Unknown, dtype: str | None) -> int | Unknown:
    """Bytes of an array; nothing for what is none."""
    return 0 if dtype is None else nbytes(shape, dtype)


def bound(graph: FunctionGraph, shapes: ShapeTable, float_x: object) -> Bound:
    """The bound for one call of `graph`."""
    narrow = {} if str(float_x) == "float64" else NARROW
    unknown: list[UnknownSize] = []

    def size(variable: int) -> int:
        of = graph.variables[variable].type
        if of.kind is TypeKind.RANDOM:
            return state.nbytes if is_generator(graph, variable) else 0
        found = bytes_of(shapes.shape(variable), of.dtype and narrow.get(of.dtype, of.dtype)) if of.has_shape else 0
        if isinstance(found, Unknown):
            owner = graph.variables[variable].owner
            op = None if owner is None else graph.applies[owner].op.text
            unknown.append(UnknownSize(graph.variables[variable].name or op or f"Variable {variable}", op, found.reason))
            return 0
        return found

    generators = sum(is_generator(graph, v) for v in graph.outputs)
    state = State(8 if not narrow else 4, bool(generators))
    arguments = tuple((k, size(i.variable)) for k, i in enumerate(graph.inputs) if used(graph, i.variable))
    results = tuple(size(v) for v in graph.outputs)
    pieces = len(results) + (LEAVES - 1) * generators
    table = POINTER * pieces if pieces > 1 else 0
    outputs = frozenset(graph.outputs)
    temporaries = SMALL + sum(_inner(graph, shapes, narrow))
    for node in graph.applies:
        made = [size(v) for v in node.outputs]
        temporaries += sum(n + ROUNDING for v, n in zip(node.outputs, made) if v not in outputs)
        temporaries += scratch(node.op.name, [size(v) for v in node.inputs], made)
    figures = XlaFigures(sum(n for _, n in arguments), sum(results) + table, temporaries, "bound", None, arguments, results)
    return Bound(figures, tuple(dict.fromkeys(unknown)))


def _inner(graph: FunctionGraph, shapes: ShapeTable, narrow: dict[str, str]) -> Iterator[int]:
    """What inner graphs compute in one step."""
    for node in graph.applies:
        inner, table = node.op.inner, shapes.inner.get(node.id)
        if inner is None or table is None:
            continue
        for variable in inner.variables:
            if not isinstance(variable, Constant) and variable.type.dtype is not None:
                found = bytes_of(table.shape(variable.id), narrow.get(variable.type.dtype, variable.type.dtype))
                yield 0 if isinstance(found, Unknown) else found
        yield from _inner(inner, table, narrow)
