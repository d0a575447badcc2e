"""An upper bound of what XLA needs for one call, from the graph and its shapes alone, for calls about which its compiler was not asked.

Each result that is written to memory is live from the node that makes it to the last one that reads it, in the order of the graph, beside
the nodes' workspace. Results that are computed where they are read are never written (`fusion`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass

from ...ir import Apply, Constant, FunctionGraph, Shape, ShapeTable, TypeKind, Unknown, nbytes
from ..profile import UnknownSize
from ..script import XlaFigures
from .conversion import LEAVES, NARROW, POINTER, GeneratorState, is_generator, used
from .fusion import VIEWS, never_written
from .products import PRODUCTS
from .products import scratch as product
from .scratch import scratch

ROUNDING = 128
"""Bytes added to each buffer, since XLA aligns buffers."""
OTHER_ORDER = 1.0625
"""Factor on the live peak, since XLA runs nodes in an order of its own."""
SMALL = 4096
"""Bytes added for flags, counters and keys of all kinds."""


@dataclass(frozen=True)
class XlaBound:
    """The bound, and the Variables of unknown size, which it leaves out."""

    figures: XlaFigures
    """The bound, with backend `bound`."""
    unknown: tuple[UnknownSize, ...] = ()
    """Variables of unknown size: with any, the figures are no upper bound."""


def bytes_of(shape: Shape | Unknown, dtype: str | None) -> int | Unknown:
    """Bytes of an array; 0 where `dtype` is None (no array); Unknown where the shape is."""
    return 0 if dtype is None else nbytes(shape, dtype)


def bound(graph: FunctionGraph, shapes: ShapeTable, float_x: object, *, on_gpu: bool = False, workspace: int = 0) -> XlaBound:
    """The bound for one call of `graph`; `float_x` is the flag floatX, `workspace` the bytes that cuBLAS gets on a GPU."""
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
    state = GeneratorState(8 if not narrow else 4, bool(generators))
    arguments = tuple((k, size(i.variable)) for k, i in enumerate(graph.inputs) if used(graph, i.variable))
    results = tuple(size(v) for v in graph.outputs)
    pieces = len(results) + (LEAVES - 1) * generators
    table = POINTER * pieces if pieces > 1 else 0
    work = {node.id: _work(graph, node, shapes, size, on_gpu) for node in graph.applies}
    libraries = workspace if on_gpu and not graph.op_names.isdisjoint(PRODUCTS) else 0
    most = _peak(graph, size, work, never_written(graph, on_gpu))
    temporaries = SMALL + libraries + int(most * OTHER_ORDER) + sum(_inner(graph, shapes, narrow))
    figures = XlaFigures(sum(n for _, n in arguments), sum(results) + table, temporaries, "bound", None, arguments, results)
    return XlaBound(figures, tuple(dict.fromkeys(unknown)))


def _work(graph: FunctionGraph, node: Apply, shapes: ShapeTable, size: Callable[[int], int], on_gpu: bool) -> int:
    """Workspace of a node in bytes, beside its results."""
    inputs, outputs = [size(v) for v in node.inputs], [size(v) for v in node.outputs]
    found = scratch(node.op.name, node.op.text, inputs, outputs, on_gpu=on_gpu)
    if node.op.name in PRODUCTS and not on_gpu:
        found += sum(outputs)
    if on_gpu and node.op.name in PRODUCTS and len(node.inputs) >= 2:
        a, b = node.inputs[-2:]
        wide = graph.variables[node.outputs[0]].type.dtype in ("float64", "complex64", "complex128", "int64")
        found += product(shapes.shape(a), shapes.shape(b), (size(a), size(b), sum(outputs)), 8 if wide else 4)
    return found


def _peak(graph: FunctionGraph, size: Callable[[int], int], work: Mapping[int, int], unwritten: Container[int]) -> int:
    """The highest sum of temporaries and workspace that are live at once."""
    outputs = frozenset(graph.outputs)
    last: dict[int, int] = {}
    for node in reversed(graph.applies):
        end = max([node.id, *(last.get(v, 0) for v in node.outputs if v in unwritten or node.op.name in VIEWS)])
        for v in node.inputs:
            last[v] = max(last.get(v, 0), end)
    going: dict[int, int] = {}
    live = most = 0
    for node in graph.applies:
        for v in node.outputs:
            if v not in unwritten and v not in outputs and graph.clients[v]:
                held = size(v) + ROUNDING
                live += held
                going[last[v]] = going.get(last[v], 0) + held
        most = max(most, live + work[node.id])
        live -= going.pop(node.id, 0)
    return most


def _inner(graph: FunctionGraph, shapes: ShapeTable, narrow: dict[str, str]) -> Iterator[int]:
    """Bytes of each Variable that inner graphs compute in one step."""
    for node in graph.applies:
        inner, table = node.op.inner, shapes.inner.get(node.id)
        if inner is None or table is None:
            continue
        for variable in inner.variables:
            if not isinstance(variable, Constant) and variable.type.dtype is not None:
                found = bytes_of(table.shape(variable.id), narrow.get(variable.type.dtype, variable.type.dtype))
                yield 0 if isinstance(found, Unknown) else found
        yield from _inner(inner, table, narrow)
