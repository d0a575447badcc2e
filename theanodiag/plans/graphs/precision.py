"""Single precision: a script with float32 and complex64 throughout, and nodes that turn float32 into float64 by accident.

By accident: through int32 or int64 operands, or float64 constants.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...ir import Apply, Constant, FunctionGraph, Op, ShapeTable, Type, TypeKind, numel
from ...memory.profile import ProcessProfile
from ...memory.script import CompiledFunction, Script
from ...memory.settings import MemorySettings
from ...memory.simulate import simulate_figures

_HALF = {"float64": "float32", "complex128": "complex64"}


def halve_floats(script: Script, settings: MemorySettings) -> ProcessProfile:
    """Returns the simulation of the script with all float64 and complex128 values in single precision."""
    return simulate_figures(narrowed(script), settings)


def narrowed(script: Script) -> Script:
    """Returns the script with all float64 and complex128 values in single precision."""
    functions = tuple(dataclasses.replace(f, graph=_graph(f.graph)) for f in script.functions)
    shared = {i: dataclasses.replace(v, type=_type(v.type)) for i, v in script.shared.items()}
    return dataclasses.replace(script, functions=functions, shared=shared)


def _type(t: Type) -> Type:
    return dataclasses.replace(t, dtype=_HALF.get(t.dtype or "", t.dtype))


def _op(op: Op) -> Op:
    return op if op.inner is None else dataclasses.replace(op, inner=_graph(op.inner))


def _graph(g: FunctionGraph) -> FunctionGraph:
    variables = tuple(dataclasses.replace(v, type=_type(v.type)) for v in g.variables)
    applies = tuple(dataclasses.replace(a, op=_op(a.op)) for a in g.applies)
    return dataclasses.replace(g, variables=variables, applies=applies)


WIDE_INTEGERS = frozenset({"int32", "uint32", "int64", "uint64"})
"""Integer dtypes that give float64 with float32; int8, int16 and bool give float32.

Source: Theano 1.0.5, scalar/basic.py, `upcast` (numpy's rules).
"""
LEAST_ELEMENTS = 1024
"""Smallest result that is reported."""
ARRAYS = frozenset({TypeKind.TENSOR, TypeKind.GPUARRAY, TypeKind.CUDANDARRAY})
"""Type kinds of arrays."""


@dataclass(frozen=True)
class Promotion:
    """A node whose result is float64 although none of its input arrays is."""

    function: int
    """Index of the function."""
    variable: int
    """Id of its output Variable."""
    cause: int
    """Id of the input that causes it: an integer array, or a constant."""
    elements: int
    """Number of elements of the result."""


def find_promotions(function: CompiledFunction, table: ShapeTable) -> Iterator[Promotion]:
    """Yields the promotions of a function, for the shapes of one call."""
    graph = function.graph
    for node in graph.applies:
        cause = _cause(graph, node)
        elements = numel(table.shape(node.outputs[0]))
        if cause is not None and isinstance(elements, int) and elements >= LEAST_ELEMENTS:
            yield Promotion(function.index, node.outputs[0], cause, elements)


def _cause(graph: FunctionGraph, node: Apply) -> int | None:
    """The input that makes an elementwise result float64; None if it is not float64, or a float64 array is an operand."""
    if node.op.name not in ("Elemwise", "GpuElemwise") or graph.variables[node.outputs[0]].type.dtype != "float64":
        return None
    inputs = [graph.variables[v] for v in node.inputs]
    wide = [v for v in inputs if v.type.dtype == "float64"]
    if any(not _is_number(graph, v.id) for v in wide):
        return None
    integers = [v for v in inputs if v.type.dtype in WIDE_INTEGERS]
    return next((v.id for v in sorted(integers, key=lambda v: -v.type.ndim)), None) if not wide else wide[0].id


def _is_number(graph: FunctionGraph, variable: int) -> bool:
    """Whether a Variable is a constant of one element, possibly reshaped."""
    v = graph.variables[variable]
    if isinstance(v, Constant):
        return numel(v.shape) == 1
    node = graph.maker(variable)
    return node is not None and node.op.name.endswith("DimShuffle") and _is_number(graph, node.inputs[0])


def without(script: Script, promotions: list[Promotion]) -> Script:
    """Returns the script with float32 results for these nodes, and for nodes that are float64 only because of them."""
    functions = tuple(_narrowed(f, {p.variable for p in promotions if p.function == f.index}) for f in script.functions)
    return replace(script, functions=functions)


def _narrowed(function: CompiledFunction, roots: set[int]) -> CompiledFunction:
    if not roots:
        return function
    graph, narrow = function.graph, set(roots)
    for node in graph.applies:
        wide = [v for v in node.inputs if graph.variables[v].type.dtype == "float64"]
        if wide and not narrow.isdisjoint(wide) and all(v in narrow or _is_number(graph, v) for v in wide) and node.op.inner is None:
            narrow.update(v for v in node.outputs if graph.variables[v].type.dtype == "float64")
    variables = tuple(
        replace(v, type=replace(v.type, dtype="float32")) if v.id in narrow and v.type.kind in ARRAYS else v for v in graph.variables
    )
    return replace(function, graph=replace(graph, variables=variables))
