"""Finds arrays that could take less: pixels stored as floats instead of bytes, and constants that each function holds a copy of.

Pixels are simulated as bytes that functions convert when they read them; constants as one shared variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...ir import Apply, Constant, GraphInput, Op, Role, Shape, ShapeTable, Type, TypeKind, Unknown, Variable, nbytes
from ...memory.script import CompiledFunction, Create, Script, SharedVariable
from ..chunking.clients import CutKind, reads
from .edit import Rewrite, with_graph

LEAST_BYTES = 1 << 20
"""Smallest size of a constant that is reported."""
ARRAYS = frozenset({TypeKind.TENSOR, TypeKind.GPUARRAY, TypeKind.CUDANDARRAY})
"""Type kinds of arrays."""


@dataclass(frozen=True)
class LargeConstant:
    """Constants that look the same, in one function or in several."""

    places: tuple[tuple[int, int], ...]
    """(Index of the function, id of the Variable) of each copy."""
    dtype: str
    shape: Shape
    nbytes: int
    """Bytes of one copy."""


def find_constants(script: Script) -> Iterator[LargeConstant]:
    """Yields the large constants of all functions.

    Values are not recorded: constants of the same dtype, shape, name and source line count as equal.
    """
    alike: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    for function in script.functions:
        for v in function.graph.variables:
            size = nbytes(v.shape, v.type.dtype or "int8") if isinstance(v, Constant) and v.type.kind in ARRAYS else 0
            if isinstance(v, Constant) and not isinstance(size, Unknown) and size >= LEAST_BYTES:
                key = (v.type.dtype, v.shape, v.name, v.site) if v.name or v.site else (function.index, v.id)
                alike.setdefault(key, []).append((function.index, v.id))
    for places in alike.values():
        first = script.functions[places[0][0]].graph.variables[places[0][1]]
        assert isinstance(first, Constant)
        size = nbytes(first.shape, first.type.dtype or "int8")
        yield LargeConstant(tuple(places), first.type.dtype or "", first.shape, size if isinstance(size, int) else 0)


def as_shared(script: Script, constants: list[LargeConstant]) -> Script:
    """The script in which each of these constants is one shared variable."""
    number = max(script.shared, default=0) + 1
    functions, shared, created = list(script.functions), dict(script.shared), []
    for k, constant in enumerate(constants, number):
        first = script.functions[constant.places[0][0]].graph.variables[constant.places[0][1]]
        shared[k] = SharedVariable(k, first.name, first.type)
        created.append(Create(k, constant.shape))
        for function, variable in constant.places:
            functions[function] = _replaced(functions[function], variable, k)
    return replace(script, shared=shared, functions=tuple(functions), events=(*created, *script.events))


def _replaced(function: CompiledFunction, variable: int, shared: int) -> CompiledFunction:
    graph = function.graph
    old = graph.variables[variable]
    new = Variable(old.id, old.type, old.name, None, old.site)
    variables = (*graph.variables[:variable], new, *graph.variables[variable + 1 :])
    inputs = (*graph.inputs, GraphInput(variable, Role.SHARED, shared=shared))
    return replace(function, graph=replace(graph, variables=variables, inputs=inputs))


FLOATS = ("float32", "float64")


@dataclass(frozen=True)
class ByteData:
    """A float shared variable whose values are bytes, possibly divided by a constant, and of which functions read only rows."""

    shared: int
    """Id of the shared variable."""
    levels: int
    """The divisor: 1, 255 or 256."""
    read: tuple[tuple[int, int], ...]
    """The parts that are read, as (index of the function, id of the Variable)."""


def find_byte_data(script: Script) -> Iterator[ByteData]:
    """Yields such variables. Those that are modified or read as a whole are skipped, since they would be converted to floats at once."""
    for number, variable in script.shared.items():
        if variable.levels and variable.type.dtype in FLOATS and variable.type.ndim > 1:
            data_reads = reads(script, number, 0)
            if isinstance(data_reads, tuple) and all(r.way is CutKind.ROWS for r in data_reads):
                yield ByteData(number, variable.levels, tuple(dict.fromkeys((r.function, r.variable) for r in data_reads)))


def as_bytes(script: Script, data: ByteData) -> Script:
    """The script with the data stored as uint8 and the rows converted to floats when read."""
    for function in dict.fromkeys(f for f, _ in data.read):
        script = _casting(script, data, function)
    variable = script.shared[data.shared]
    shared = {**script.shared, data.shared: replace(variable, type=_uint8(variable.type))}
    return replace(script, shared=shared)


def _casting(script: Script, data: ByteData, function: int) -> Script:
    """The script in which one function reads bytes."""
    graph = script.functions[function].graph
    read = {v for f, v in data.read if f == function}
    rewrite, rows = Rewrite(graph), dict[int, int]()
    todo = [i.variable for i in graph.inputs if i.shared == data.shared]
    narrow = set(todo)
    while todo:
        for number, position in graph.clients[todo.pop()]:
            node = graph.applies[number]
            out = node.outputs[0]
            if position or out in rows or out in narrow:
                continue
            if out not in read:  # a view of all of it
                narrow.add(out)
                todo.append(out)
                continue
            rows[out] = rewrite.variable(_uint8(graph.variables[out].type))
            rewrite.put(number, node.op, node.inputs, rows[out])
            rewrite.put(number, _cast(node), [rows[out]], out)
    rewrite.variables = [replace(v, type=_uint8(v.type)) if v.id in narrow else v for v in rewrite.variables]

    def shapes(table: ShapeTable) -> Mapping[int, Shape]:
        return {new: s for old, new in rows.items() if isinstance(s := table.shape(old), tuple)}

    return with_graph(script, function, rewrite.build(), shapes)


def _cast(node: Apply) -> Op:
    name = "GpuElemwise" if node.op.name.startswith("Gpu") else "Elemwise"
    return Op(name, f"{name}{{Cast{{float}}}}", params={"scalar_op": "Cast"})


def _uint8(kind: Type) -> Type:
    return replace(kind, dtype="uint8")
