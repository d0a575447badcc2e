"""Finds arrays that could take less: pixels stored as floats instead of bytes, constants that each function holds a copy of, and broadcasts
that blow up (N x M x D from N x 1 x D and 1 x M x D, then reduced), which a dot or blocks replace.

Pixels are simulated as bytes that functions convert when they read them; constants as one shared variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod

from ...ir import Apply, Constant, FunctionGraph, GraphInput, Op, Role, Shape, ShapeTable, Type, TypeKind, Unknown, Variable, nbytes
from ...ir.shape import itemsize
from ...memory.script import CompiledFunction, Create, Script, SharedVariable
from ...ops import op_info
from ...ops.arrays import exact
from ..chunking.clients import CutKind, reads
from .contractions import as_products, joined_axes, reductions, terms_of
from .edit import Rewrite, origin_name, reads_lengths, with_graph, with_shapes

ELEMWISE = frozenset({"Elemwise", "GpuElemwise"})
"""Names of elementwise Ops."""
REPEATING = frozenset({"Alloc", "GpuAlloc"})
"""Names of Ops that repeat an array along new axes, and axes of length 1."""
FACTOR = 8
"""An array counts as blown up if it is at least this many times as large as its largest operand."""


@dataclass(frozen=True)
class Blown:
    """One broadcast, and all arrays of its size that are computed from it before they are reduced."""

    function: int
    """Index of the function."""
    root: int
    """Id of the Variable that the broadcast makes."""
    arrays: tuple[int, ...]
    """Ids of all Variables of that size, the root first."""
    shape: tuple[int, ...]
    """Shape of the root."""
    axis: int
    """The longest broadcast axis, over which to loop in blocks."""
    row_bytes: int
    """Bytes of all these arrays per index of that axis."""
    operands: tuple[str, str]
    """Names of the two operands that are broadcast, `...` for one without a name; without a dot form, the one that has the axis first."""
    dot: bool = False
    """Whether products of matrices give the same results."""


def find_blown(graph: FunctionGraph, table: ShapeTable, function: int) -> Iterator[Blown]:
    """Yields the broadcasts of a graph that end in reductions, for the shapes of one call."""
    taken: set[int] = set()
    for node in graph.applies:
        making = node.op.name in ELEMWISE or node.op.name in REPEATING
        shape = _exact(table, node.outputs[0]) if making and len(node.outputs) == 1 else None
        if shape is None or node.outputs[0] in taken or not _is_broadcast(table, node, shape):
            continue
        arrays = _region(graph, table, node.outputs[0])
        if arrays and (len(shape) > 2 or _has_products(graph, table, arrays)):
            taken.update(arrays)
            yield _blown(graph, table, function, node, arrays, shape)


def in_blocks(script: Script, blown: Blown, rows: int) -> Script:
    """Returns the script in which only `rows` indices of the axis exist at a time."""

    def reshape(table: ShapeTable) -> dict[int, Shape]:
        shapes = {}
        for v in blown.arrays:
            shape = table.shape(v)
            if isinstance(shape, tuple) and len(shape) > blown.axis:
                dim = shape[blown.axis]
                shapes[v] = (*shape[: blown.axis], min(rows, dim) if isinstance(dim, int) else dim, *shape[blown.axis + 1 :])
        return shapes

    return with_shapes(script, blown.function, reshape)


def as_dot(script: Script, blown: Blown) -> Script | None:
    """Returns the script with products of matrices in place of the broadcast; None if these are not equivalent."""
    return as_products(script, blown.function, blown.arrays) if blown.dot else None


def _is_broadcast(table: ShapeTable, node: Apply, shape: tuple[int, ...]) -> bool:
    """Whether each of at least two large inputs lacks an axis that another one has."""
    whole = prod(shape)
    if len(shape) < 2:
        return False
    if node.op.name in REPEATING:
        value = _exact(table, node.inputs[0])
        return value is not None and 0 < FACTOR * prod(value) <= whole
    parts = [s for v in node.inputs if (s := _exact(table, v)) is not None and len(s) == len(shape)]
    if len(parts) < 2 or any(FACTOR * prod(s) > whole for s in parts):
        return False
    return sum(any(d > 1 and all(o is p or o[k] == 1 for o in parts) for k, d in enumerate(p)) for p in parts) >= 2


def _region(graph: FunctionGraph, table: ShapeTable, root: int) -> tuple[int, ...]:
    """Arrays of the root's shape that elementwise Ops compute from it; empty where one is used for anything but reductions."""
    shape, region, todo = table.shape(root), [], [root]
    while todo:
        v = todo.pop()
        region.append(v)
        for client, _ in graph.clients[v]:
            node = graph.applies[client]
            if op_info(node.op.name).reduces or reads_lengths(node) or _is_reduced(graph, table, node):
                continue
            if node.op.name not in ELEMWISE or any(table.shape(o) != shape for o in node.outputs):
                return ()
            todo += [o for o in node.outputs if o not in region and o not in todo]
        if v in graph.outputs or all(reads_lengths(graph.applies[n]) for n, _ in graph.clients[v]):
            return ()
    return tuple(region)


def _is_reduced(graph: FunctionGraph, table: ShapeTable, node: Apply) -> bool:
    """Whether a node joins neighbouring axes of an array that is then only reduced."""
    out = node.outputs[0]
    if joined_axes(table, node) is None or out in graph.outputs or not graph.clients[out]:
        return False
    return all(op_info(graph.applies[n].op.name).reduces for n, _ in graph.clients[out])


def _blown(graph: FunctionGraph, table: ShapeTable, function: int, node: Apply, arrays: tuple[int, ...], shape: tuple[int, ...]) -> Blown:
    parts = [v for v in node.inputs if (s := _exact(table, v)) is not None and len(s) == len(shape) and prod(s) > 1]
    parts = list(node.inputs[:1]) * 2 if node.op.name in REPEATING else parts
    sizes = {v: (1,) * (len(shape) - len(s)) + s for v in parts if (s := _exact(table, v)) is not None}
    free = [k for k in range(len(shape)) if any(sizes.get(v, shape)[k] == 1 for v in parts)]
    axis = max(free, key=lambda k: shape[k])
    own = [v for v in arrays if not _in_place(graph, v)]
    row = sum(itemsize(graph.variables[v].type.dtype or "int8") for v in own) * prod(shape) // shape[axis]
    two, dot = parts[:2], _has_products(graph, table, arrays)
    if not dot:
        two.sort(key=lambda v: sizes.get(v, shape)[axis] == 1)
    names = tuple(origin_name(graph, v) for v in two)
    return Blown(function, arrays[0], arrays, shape, axis, row, (names[0], names[1]), dot)


def _has_products(graph: FunctionGraph, table: ShapeTable, arrays: tuple[int, ...]) -> bool:
    """Returns whether all that is computed from these arrays is sums of products of at most two factors with different axes."""
    found = [terms_of(graph, table, arrays, reduction) for reduction in reductions(graph, table, arrays)]
    return bool(found) and None not in found


def _in_place(graph: FunctionGraph, variable: int) -> bool:
    node = graph.maker(variable)
    return node is not None and bool(node.op.destroy_map.get(node.outputs.index(variable)))


def _exact(table: ShapeTable, variable: int) -> tuple[int, ...] | None:
    shape = exact(table.shape(variable))
    return None if isinstance(shape, Unknown) else shape


LEAST_BYTES = 1 << 20
"""Smallest size of a constant that is reported."""
ARRAYS = frozenset({TypeKind.TENSOR, TypeKind.GPUARRAY, TypeKind.CUDANDARRAY})
"""Type kinds of arrays."""


@dataclass(frozen=True)
class LargeConstant:
    """A group of constants that look the same, in one function or in several functions."""

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
    """Returns the script in which each of these constants is one shared variable."""
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
    """Yields the float shared variables whose values are bytes. Variables that are modified or read as a whole are left out, because all of
    their elements would be converted to floats at once.
    """
    for number, variable in script.shared.items():
        if variable.levels and variable.type.dtype in FLOATS and variable.type.ndim > 1:
            data_reads = reads(script, number, 0)
            if isinstance(data_reads, tuple) and all(r.way is CutKind.ROWS for r in data_reads):
                yield ByteData(number, variable.levels, tuple(dict.fromkeys((r.function, r.variable) for r in data_reads)))


def as_bytes(script: Script, data: ByteData) -> Script:
    """Returns the script with the data stored as uint8 and the rows converted to floats when read."""
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
