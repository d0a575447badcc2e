"""Finds byte data (pixels) that is stored as floats, and simulates it stored as bytes that functions convert when they read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...ir import Apply, Op, Shape, ShapeTable, Type
from ...memory.script import Script
from ..chunking.clients import CutKind, reads
from .edit import Rewrite, with_graph

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
