"""Kronecker products of two matrices, node by node: two small products in place of one with the large matrix.

`kron(A, B)·x` is `A·X·B.T` for the vector x with the rows X, one for each column of A. The large matrix is made by a broadcast,
`A[:, None, :, None] * B[None, :, None, :]`, or as an outer product of the entries, in another order. Its gradient makes a matrix of the
same size, which is the outer product of two vectors: with their rows D and X, the gradient of A is `D·B·X.T`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from ...ir import Apply, FunctionGraph, Shape, ShapeTable
from ...ops import op_info
from .identity_nodes import FACTORS, Equality, Matrix, MatrixRewrite, only_reader, plain_name, scalar_name, sizes_of

SWAPPED = [0, 2, 1, 3]
"""Order of the axes that turns an outer product of entries into a Kronecker product."""


def kronecker_of(graph: FunctionGraph, table: ShapeTable, node: Apply) -> Matrix | None:
    """Returns the Kronecker product that a node makes of a broadcast product with four axes; None if it makes none."""
    both = graph.maker(node.inputs[0]) if plain_name(node) == "Reshape" else None
    if both is None or not _is_product(both) or len(graph.clients[node.inputs[0]]) != 1 or node.inputs[0] in graph.outputs:
        return None
    left, right = (sizes_of(table.shape(v)) for v in both.inputs)
    shape = sizes_of(table.shape(node.outputs[0]))
    pair = both.inputs if _axes(left) == (0, 2) else both.inputs[::-1]
    if len(left) != 4 or len(right) != 4 or sorted((_axes(left), _axes(right))) != [(0, 2), (1, 3)]:
        return None
    rows = prod(sizes_of(table.shape(node.inputs[0]))[:2])
    return Matrix("kronecker", tuple(pair), node.outputs[0]) if len(shape) == 2 and shape[0] == rows else None


def kronecker_instead(change: MatrixRewrite, matrix: Matrix, node: Apply, turned: bool) -> Equality | None:
    """Computes what a node computes from a Kronecker product, or from its gradient, with small products; None if it needs all of it."""
    name = plain_name(node)
    if matrix.kind == "kronecker":
        left, right = matrix.parts
        p, m = (sizes_of(change.table.shape(left))[k] for k in (0, 2))
        q, n = (sizes_of(change.table.shape(right))[k] for k in (1, 3))
        rows, columns = ((p, q), (m, n)) if not turned else ((m, n), (p, q))
        return _times_vector(change, node, left, right, rows, columns) if name in FACTORS else None
    if name != "Reshape" or matrix.kind != "product" or turned:
        return None
    return _of_outer(change, matrix, node)


def _of_outer(change: MatrixRewrite, matrix: Matrix, node: Apply) -> Equality | None:
    """What is computed from an outer product of two vectors with four axes: sums of its products with A or B, or another order of it."""
    graph, axes = change.graph, sizes_of(change.table.shape(node.outputs[0]))
    if len(axes) != 4 or any(len(sizes_of(change.table.shape(v))) != 1 for v in matrix.parts):
        return None
    if prod(axes[:2]) != sizes_of(change.table.shape(matrix.id))[0] or node.outputs[0] in graph.outputs:
        return None
    forms = [_client(change, matrix, graph.applies[number], node.outputs[0], axes) for number, _ in graph.clients[node.outputs[0]]]
    if not forms or not all(forms):
        return None
    change.remove(node.id)
    return Equality.KRONECKER


def _client(change: MatrixRewrite, matrix: Matrix, reader: Apply, outer: int, axes: tuple[int, ...]) -> bool:
    graph = change.graph
    if plain_name(reader).endswith("DimShuffle") and reader.op.params.get("new_order") in (SWAPPED, tuple(SWAPPED)):
        joined = only_reader(graph, reader)
        if joined is None or plain_name(joined) != "Reshape" or joined.outputs[0] in graph.outputs:
            return False
        (a1, a2, b1, b2), (u, v) = axes, matrix.parts
        sizes = {False: ((a1, b1), (a2, b2)), True: ((a2, b2), (a1, b1))}
        done = [
            plain_name(node) in FACTORS and _times_vector(change, node, u, v, *sizes[turned])
            for node, turned in _readers(graph, joined.outputs[0])
        ]
        change.remove(reader.id)
        change.remove(joined.id)
        return bool(done) and all(done)
    summed = only_reader(graph, reader)
    while summed is not None and op_info(summed.op.name).transfers:
        change.remove(summed.id)
        summed = only_reader(graph, summed)
    if not _is_product(reader) or summed is None or not op_info(summed.op.name).reduces or summed.op.params.get("pre_scalar_op"):
        return False
    other = next((v for v in reader.inputs if v != outer), outer)
    own, over = _axes(sizes_of(change.table.shape(other))), summed.op.params.get("axis")
    axes_summed = tuple(over) if isinstance(over, (list, tuple)) else ()
    if summed.op.params.get("scalar_op") != "Add" or own not in ((0, 2), (1, 3)) or axes_summed != own:
        return False
    d, x = matrix.parts
    between = change.make(summed, "Dot22", [d, other], d, lambda table: _between(sizes_of(table.shape(outer)), own))
    change.end(summed, "Dot22", [between, x])
    change.remove(reader.id)
    return True


def _between(axes: tuple[int, ...], own: tuple[int, ...]) -> Shape:
    """The shape of D·B, or of the product with A: what is left of the rows and new of the columns."""
    return (axes[0], axes[3]) if own == (1, 3) else (axes[1], axes[2])


def _times_vector(
    change: MatrixRewrite, node: Apply, left: int, right: int, rows: tuple[int, int], columns: tuple[int, int]
) -> Equality | None:
    """The product with a vector, or with a matrix of several: `A·X`, then that times B."""
    first, second = FACTORS[plain_name(node)]
    matrix = node.inputs[first]
    made_left = change.graph.maker(matrix) is not None and sizes_of(change.table.shape(matrix)) == (prod(rows), prod(columns))
    other = node.inputs[second if made_left else first]
    shape = sizes_of(change.table.shape(other))
    if prod(shape) % prod(columns) or (not made_left and shape[-1] != prod(rows)):
        return None
    more = prod(shape) // prod(columns)
    between = change.make(node, "Dot22", [left, other], other, lambda table: (rows[0], columns[1] * more))
    into = [node.inputs[0]] if node.op.destroy_map else []
    change.end(node, "Elemwise", [*into, between, right], 0 if into else None)
    return Equality.KRONECKER


def _readers(graph: FunctionGraph, variable: int) -> Iterator[tuple[Apply, bool]]:
    """Yields the nodes that read a matrix, or the transposed one, and whether they read that."""
    for number, _ in graph.clients[variable]:
        node = graph.applies[number]
        if plain_name(node).endswith("DimShuffle") and node.op.params.get("new_order") in ([1, 0], (1, 0)):
            yield from ((reader, not turned) for reader, turned in _readers(graph, node.outputs[0]))
        else:
            yield node, False


def _axes(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(k for k, n in enumerate(shape) if n != 1)


def _is_product(node: Apply) -> bool:
    return plain_name(node) == "Elemwise" and len(node.inputs) == 2 and scalar_name(node) == "mul"
