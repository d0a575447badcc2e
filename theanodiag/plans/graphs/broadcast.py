"""Finds broadcasts that blow up (N x M x D from N x 1 x D and 1 x M x D, then reduced), and replaces them by a dot or by blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from ...ir import Apply, FunctionGraph, Op, Shape, ShapeTable, Unknown
from ...ir.dtype import itemsize
from ...memory.script import Script
from ...ops import op_info
from ...ops.arrays import exact
from .edit import Rewrite, origin_name, with_graph, with_shapes

ELEMWISE = frozenset({"Elemwise", "GpuElemwise"})
"""Names of elementwise Ops."""
FACTOR = 8
"""An array counts as blown up if it is at least this many times as large as its largest operand."""


@dataclass(frozen=True)
class Blown:
    """One broadcast, and all arrays of its size computed from it before they are reduced."""

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
    """Names of the two operands that are broadcast, `...` for one without a name."""
    dot: str | None = None
    """`product` or `distance` if a matrix product gives the same result; else None."""


def find_blown(graph: FunctionGraph, table: ShapeTable, function: int) -> Iterator[Blown]:
    """Yields the broadcasts of a graph that end in reductions, for the shapes of one call."""
    taken: set[int] = set()
    for node in graph.applies:
        shape = _exact(table, node.outputs[0]) if node.op.name in ELEMWISE and len(node.outputs) == 1 else None
        if shape is None or node.outputs[0] in taken or not _is_broadcast(graph, table, node, shape):
            continue
        arrays = _region(graph, table, node.outputs[0])
        if arrays:
            taken.update(arrays)
            yield _blown(graph, table, function, node, arrays, shape)


def in_blocks(script: Script, blown: Blown, rows: int) -> Script:
    """The script in which only `rows` indices of the axis exist at once."""

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
    """The script with a dot in place of the broadcast; None where that is not equivalent."""
    graph = script.functions[blown.function].graph
    node = graph.maker(blown.root)
    matrices = _matrices(graph, node) if node and blown.dot else None
    if node is None or matrices is None:
        return None
    reduction = graph.applies[graph.clients[blown.root][0][0]]
    on_gpu = node.op.name.startswith("Gpu")
    new: Rewrite = Rewrite(graph)
    sums: list[tuple[int, int]] = []
    squares: dict[int, int] = {}
    kind, out = graph.variables[reduction.outputs[0]].type, reduction.outputs[0]
    dot = out if blown.dot == "product" else new.variable(kind)
    shapes = {dot: out}
    new.remove(reduction.id)
    for matrix in matrices if blown.dot == "distance" else ():
        small = new.variable(kind)
        if not on_gpu:  # on the GPU the reduction itself squares its input
            squares[new.variable(graph.variables[matrix].type)] = matrix
            new.put(node.id, Op("Elemwise", "sqr"), [matrix], len(new.variables) - 1)
        new.put(node.id, Op("GpuCAReduceCuda" if on_gpu else "Sum", "sum"), [matrix if on_gpu else len(new.variables) - 1], small)
        sums.append((small, matrix))
    new.put(node.id, Op("GpuDot22" if on_gpu else "Dot22", "dot"), matrices, dot)
    if blown.dot == "distance":
        joined = Op("GpuElemwise" if on_gpu else "Elemwise", "a + b - 2 * dot", destroy_map={0: (2,)})
        new.put(node.id, joined, [*(v for v, _ in sums), dot], out)

    def reshape(table: ShapeTable) -> dict[int, Shape]:
        rows: dict[int, Shape] = {dot: _known(table, shapes[dot])}
        rows.update({small: _known(table, matrix)[:1] for small, matrix in sums})
        rows.update({square: _known(table, matrix) for square, matrix in squares.items()})
        return rows

    return with_graph(script, blown.function, new.build(), reshape)


def _is_broadcast(graph: FunctionGraph, table: ShapeTable, node: Apply, shape: tuple[int, ...]) -> bool:
    """Whether each of at least two large inputs lacks an axis that another one has."""
    if len(shape) < 3:
        return False
    whole = prod(shape)
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
            if op_info(node.op.name).reduces:
                continue
            if node.op.name not in ELEMWISE or any(table.shape(o) != shape for o in node.outputs):
                return ()
            todo += [o for o in node.outputs if o not in region and o not in todo]
        if v in graph.outputs or not graph.clients[v]:
            return ()
    return tuple(region)


def _blown(graph: FunctionGraph, table: ShapeTable, function: int, node: Apply, arrays: tuple[int, ...], shape: tuple[int, ...]) -> Blown:
    parts = [v for v in node.inputs if (s := _exact(table, v)) is not None and len(s) == len(shape) and prod(s) > 1]
    free = [k for k in range(len(shape)) if any((_exact(table, v) or shape)[k] == 1 for v in parts)]
    axis = max(free, key=lambda k: shape[k])
    own = [v for v in arrays if not _in_place(graph, v)]
    row = sum(itemsize(graph.variables[v].type.dtype or "int8") for v in own) * prod(shape) // shape[axis]
    names = tuple(origin_name(graph, v) for v in parts[:2])
    return Blown(function, arrays[0], arrays, shape, axis, row, (names[0], names[1]), _dot_form(graph, table, node, arrays))


def _dot_form(graph: FunctionGraph, table: ShapeTable, node: Apply, arrays: tuple[int, ...]) -> str | None:
    """`product` or `distance` if all that is computed is the sum over the last axis of `a * b` or `(a - b) ** 2` for matrices a and b."""
    clients = graph.clients[arrays[0]]
    matrices = _matrices(graph, node)
    if len(arrays) > 1 or len(clients) != 1 or matrices is None:
        return None
    reduction = graph.applies[clients[0][0]]
    before = reduction.op.params.get("pre_scalar_op")
    if reduction.op.params.get("scalar_op") != "Add" or reduction.op.params.get("axis") not in ([2], (2,)):
        return None
    scalar = str(node.op.params.get("scalar_text", "")).lower().replace("square", "sqr").replace(" ", "")
    if before is None and scalar == "mul":
        return "product"
    squared = (before == "sqr" and scalar == "sub") or (before is None and scalar == "composite{sqr((i0-i1))}")
    return "distance" if squared else None


def _matrices(graph: FunctionGraph, node: Apply) -> tuple[int, int] | None:
    """The matrices (N, D) and (M, D) whose views (N, 1, D) and (1, M, D) are the inputs; None where they are not."""
    if len(node.inputs) != 2:
        return None
    matrices: dict[tuple[object, ...], int] = {}
    for v in node.inputs:
        shuffle = graph.maker(v)
        order = shuffle.op.params.get("new_order") if shuffle and shuffle.op.name.endswith("DimShuffle") else None
        if shuffle is None or not isinstance(order, (list, tuple)):
            return None
        matrices[tuple(order)] = shuffle.inputs[0]
    first, second = matrices.get((0, "x", 1)), matrices.get(("x", 0, 1))
    return None if first is None or second is None else (first, second)


def _in_place(graph: FunctionGraph, variable: int) -> bool:
    node = graph.maker(variable)
    return node is not None and bool(node.op.destroy_map.get(node.outputs.index(variable)))


def _exact(table: ShapeTable, variable: int) -> tuple[int, ...] | None:
    shape = exact(table.shape(variable))
    return None if isinstance(shape, Unknown) else shape


def _known(table: ShapeTable, variable: int) -> Shape:
    shape = table.shape(variable)
    return shape if isinstance(shape, tuple) else (shape,)
