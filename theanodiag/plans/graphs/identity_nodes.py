"""What is computed in place of a large matrix, node by node: its products, its sums, and entries of it, from what it is made of."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import prod

from ...ir import Apply, Constant, FunctionGraph, Op, Shape, ShapeTable, Type, TypeKind, Unknown
from ...ir.shape import itemsize
from ...ops import op_info
from .edit import Rewrite
from .long_scans import info_of

FACTOR = 2
"""The matrix has at least this many times the bytes of all arrays that are computed instead."""
FACTORS = {"Dot22": (0, 1), "Dot": (0, 1), "dot": (0, 1), "Dot22Scalar": (0, 1), "Gemm": (2, 3), "Gemv": (2, 3), "CGemv": (2, 3)}
"""Positions of the two factors among the inputs of a product."""
PARAMETERS: Mapping[str, Mapping[str, object]] = {"Sum": {"scalar_op": "Add", "axis": None}, "Mul": {"scalar_text": "mul"}}
"""Parameters of the Ops that are added."""


class Equality(enum.Enum):
    """The mathematical identity that makes a matrix unnecessary."""

    SCALED = "a product with a diagonal matrix scales rows or columns"
    CHAIN = "a product of three in the other order has a smaller intermediate"
    DIAGONAL = "the diagonal of a product is a sum of products of entries"
    TRACE = "the trace of a product is a sum of products of entries"
    SUM = "the sum of a product is a product of sums"
    SQUARES = "the sum of the squares of a product is that of the small products of its factors"
    ENTRIES = "some entries of a product need only these rows of its factors"
    ROWS = "a one-hot matrix times a table is rows of the table"
    DERIVATIVE = "a matrix of derivatives times a vector is one derivative"
    CONSTANT = "a product with a matrix of equal entries is a sum"
    KRONECKER = "a Kronecker product times a vector is two small products"


@dataclass(frozen=True)
class Matrix:
    """A large matrix, described by the arrays from which it is made."""

    kind: str
    """`diagonal` (w), `product` (left, right), `entries` (values, rows, columns), `one-hot` (numbers), `constant` (scalar), `jacobian`,
    `kronecker` (left, right)."""
    parts: tuple[int, ...]
    """Ids of the Variables it is made of, as named for each kind."""
    id: int


@dataclass
class MatrixRewrite(Rewrite):
    """Changes a graph so that it does not need a matrix; records the shapes of the new Variables."""

    table: ShapeTable = field(default_factory=lambda: ShapeTable({}))
    rules: dict[int, Callable[[ShapeTable], Shape]] = field(default_factory=dict)
    """New Variable -> what computes its shape from the shapes of a call."""
    in_place: set[int] = field(default_factory=set)
    """New Variables in the memory of old ones."""

    def make(
        self, node: Apply, name: str, inputs: list[int], like: int, shape: Callable[[ShapeTable], Shape], at: int | None = None
    ) -> int:
        """Adds a node in place of `node`. Its output has the dtype of `like`, and it overwrites input number `at`."""
        kind = self.variables[like].type
        ndim = len(shape(self.table))
        new = self.variable(Type(kind.kind, kind.dtype, (None,) * ndim))
        self.rules[new] = shape
        self.put(node.id, self._op(node, name, at), inputs, new)
        return new

    def end(self, node: Apply, name: str, inputs: list[int], at: int | None = None) -> None:
        """Adds the node that computes the result of `node` in another way."""
        self.put(node.id, self._op(node, name, at), inputs, node.outputs[0])

    def _op(self, node: Apply, name: str, at: int | None) -> Op:
        class_name = "Elemwise" if name in ("Mul", "Copy") else name
        if node.op.name.startswith("Gpu"):
            class_name = "GpuCAReduceCuda" if name == "Sum" else f"Gpu{class_name}"
        return Op(class_name, name.lower(), params=PARAMETERS.get(name, {}), destroy_map={} if at is None else {0: (at,)})

    def shapes(self, table: ShapeTable) -> Mapping[int, Shape]:
        """Returns the shapes of the new Variables in a call whose other shapes are in a table."""
        return {v: rule(table) for v, rule in self.rules.items()}

    @property
    def added(self) -> int:
        """Bytes of all new arrays."""
        new = ((self.variables[v].type.dtype or "int8", rule(self.table)) for v, rule in self.rules.items() if v not in self.in_place)
        return sum(prod(sizes_of(shape)) * itemsize(dtype) for dtype, shape in new)


def plain_name(node: Apply | None) -> str:
    """Returns the name of a node's Op without the prefix of the GPU back-end."""
    return "" if node is None else node.op.name.removeprefix("Gpu")


def scalar_name(node: Apply) -> str:
    """Returns the name of the scalar Op that an elementwise node applies, in lower case; empty if it is not known."""
    return str(node.op.params.get("scalar_op") or node.op.params.get("scalar_text", "")).lower()


def is_filled(graph: FunctionGraph, variable: int) -> bool:
    """Returns whether a Variable is filled with one value, and read once."""
    return plain_name(graph.maker(variable)) == "Alloc" and len(graph.clients[variable]) == 1


def computed_instead(change: MatrixRewrite, matrix: Matrix, node: Apply, position: int, turned: bool) -> Equality | None:
    """Computes the result of a node that reads a matrix, without the matrix; None if the node needs all of the matrix."""
    name = plain_name(node)
    if name in FACTORS and position in FACTORS[name]:
        left = position == FACTORS[name][0]
        other = node.inputs[FACTORS[name][1 if left else 0]]
        if other == node.inputs[position]:
            return None
        return PRODUCTS[matrix.kind](change, matrix, node, other, int(left) if not turned else 1 - int(left), left)
    if matrix.kind != "product":
        return None
    if name == "ExtractDiag":
        return _diagonal(change, matrix, node)
    if op_info(node.op.name).reduces and node.op.params.get("scalar_op") == "Add":
        return _sum(change, matrix, node, turned)
    if name == "Elemwise":
        return _squares(change, matrix, node)
    if name == "AdvancedSubtensor" and position == 0 and len(node.inputs) == 3:
        return _entries(change, matrix, node, turned)
    return None


def sizes_of(shape: Shape | Unknown) -> tuple[int, ...]:
    """Returns the known lengths of a shape; an unknown one counts as 1."""
    return () if isinstance(shape, Unknown) else tuple(d if isinstance(d, int) else 1 for d in shape)


def _shape(variable: int) -> Callable[[ShapeTable], Shape]:
    return lambda table: sizes_of(table.shape(variable))


def _written(node: Apply) -> list[int]:
    """The array to which a product is added in place; empty where it has a new one."""
    return [node.inputs[0]] if node.op.destroy_map else []


def _scaled(change: MatrixRewrite, matrix: Matrix, node: Apply, other: int, axis: int, left: bool) -> Equality:
    """`diag(w)·X`: the rows of X times w."""
    into = _written(node)
    change.end(node, "Elemwise", [*into, other, matrix.parts[0]], 0 if into else None)
    return Equality.SCALED


def _chain(change: MatrixRewrite, matrix: Matrix, node: Apply, other: int, axis: int, left: bool) -> Equality:
    """`(A·B)·C` as `A·(B·C)`, and `C·(A·B)` as `(C·A)·B`."""
    near, far = (matrix.parts[axis], matrix.parts[1 - axis])
    thin = len(sizes_of(change.table.shape(near))) == 1  # an outer product
    free = 1 if left else 0

    def shape(table: ShapeTable) -> Shape:
        own, all_of = sizes_of(table.shape(near)), sizes_of(table.shape(other))
        inner = () if thin else (own[0] if axis == 1 else own[1],)
        return inner if len(all_of) == 1 else (*inner, all_of[free]) if left else (all_of[free], *inner)

    ndim = len(shape(change.table))
    between = change.make(node, "Dot22" if ndim == 2 else "Elemwise", [near, other], other, shape)
    places = FACTORS[plain_name(node)]
    inputs = list(node.inputs)
    inputs[places[0 if left else 1]], inputs[places[1 if left else 0]] = far, between
    if thin:
        into = _written(node)
        change.end(node, "Elemwise", [*into, far, between], 0 if into else None)
    else:
        change.put(node.id, node.op, inputs, node.outputs[0])
    return Equality.CHAIN


def _added_rows(change: MatrixRewrite, matrix: Matrix, node: Apply, values: int, numbers: int) -> None:
    """The output of a node as zeros to which rows are added at some places, themselves added to the array that the node writes into."""
    into = [v for v in _written(node) if plain_name(change.graph.maker(v)) not in ("Alloc", "AllocEmpty")]
    zeros = change.make(node, "Alloc", [], node.outputs[0], _shape(node.outputs[0]))
    given = [zeros, values, _numbers(change, node, numbers)]
    if not into:
        change.end(node, "AdvancedIncSubtensor1", given, 0)
        return
    rows = change.make(node, "AdvancedIncSubtensor1", given, zeros, _shape(node.outputs[0]), 0)
    change.in_place.add(rows)
    change.end(node, "Elemwise", [*into, rows], 0)


def _few_entries(change: MatrixRewrite, matrix: Matrix, node: Apply, other: int, axis: int, left: bool) -> Equality | None:
    """A matrix with few entries times another: rows of the other times these entries, added up."""
    values, rows, columns = matrix.parts
    if len(sizes_of(change.table.shape(other))) != 2 or not left:
        return None
    taken, given = (columns, rows) if axis == 1 else (rows, columns)

    def shape(table: ShapeTable) -> Shape:
        return (*sizes_of(table.shape(values)), sizes_of(table.shape(other))[1])

    read = _read(change, node, other, taken, shape)
    _added_rows(change, matrix, node, change.make(node, "Elemwise", [read, values], read, shape), given)
    return Equality.ENTRIES


def _rows(change: MatrixRewrite, matrix: Matrix, node: Apply, other: int, axis: int, left: bool) -> Equality | None:
    """A one-hot matrix times a table, whose rows are read; transposed, they are added up."""
    if not left:
        return None
    numbers = matrix.parts[0] if matrix.parts else node.inputs[FACTORS[plain_name(node)][0]]  # the rows of an argument are numbers then
    if axis == 1 and not _written(node):
        change.end(node, "AdvancedSubtensor1", [other, _numbers(change, node, numbers)])
    elif axis == 1:
        change.end(node, "Elemwise", [*_written(node), other, numbers], 0)
    else:
        _added_rows(change, matrix, node, other, numbers)
    return Equality.ROWS


def _constant(change: MatrixRewrite, matrix: Matrix, node: Apply, other: int, axis: int, left: bool) -> Equality:
    """Equal entries times a matrix: the sums of its columns, in each row."""
    free = 1 if left else 0
    sums = change.make(node, "Sum", [other], other, lambda table: sizes_of(table.shape(other))[free : free + 1])
    into = _written(node)
    change.end(node, "Elemwise", [*into, sums, matrix.parts[0]], 0 if into else None)
    return Equality.CONSTANT


def _derivative(change: MatrixRewrite, matrix: Matrix, node: Apply, other: int, axis: int, left: bool) -> Equality | None:
    """A row of derivatives in each step, times a vector: one step, whose result takes the place of all rows."""
    loop = change.graph.maker(matrix.id)
    info = info_of(loop) if loop else None
    if loop is None or info is None or info.n_recurrences or len(sizes_of(change.table.shape(other))) != 1:
        return None
    if matrix.id not in change.rules:
        one = Constant(len(change.variables), change.variables[loop.inputs[0]].type, value=1)
        change.variables.append(one)
        inputs = [one.id if k in (0, info.lengths_at) else v for k, v in enumerate(loop.inputs)]
        change.put(loop.id, loop.op, inputs, matrix.id)
        change.rules[matrix.id] = lambda table: (1, *sizes_of(table.shape(matrix.id))[1:])
    return Equality.DERIVATIVE


PRODUCTS: Mapping[str, Callable[[MatrixRewrite, Matrix, Apply, int, int, bool], Equality | None]] = {
    "diagonal": _scaled,
    "product": _chain,
    "entries": _few_entries,
    "one-hot": _rows,
    "constant": _constant,
    "jacobian": _derivative,
}
"""Kind of matrix -> its product with another, given that one, the axis that is added up, and whether the matrix is the left factor."""


def _diagonal(change: MatrixRewrite, matrix: Matrix, node: Apply) -> Equality | None:
    """The diagonal of `A·B`: the sums of the rows of `A * B.T`."""
    left, right = matrix.parts
    if node.op.params.get("offset", 0) or len(sizes_of(change.table.shape(left))) != 2:
        return None
    graph = change.graph
    whole = prod(sizes_of(change.table.shape(left))) * FACTOR > prod(sizes_of(change.table.shape(matrix.id)))
    own = [k for k, v in enumerate(matrix.parts) if graph.maker(v) and len(graph.clients[v]) == 1 and not _is_view(graph, v)]
    if whole and not own:
        return None  # as large as the product
    products = change.make(node, "Mul", [left, right], left, _shape(left), own[0] if whole else None)
    if whole:
        change.in_place.add(products)
    reader = only_reader(graph, node)
    if reader is None or not op_info(reader.op.name).reduces:
        change.end(node, "Sum", [products])
        return Equality.DIAGONAL
    change.remove(node.id)
    change.put(reader.id, reader.op, [products], reader.outputs[0])
    return Equality.TRACE


def only_reader(graph: FunctionGraph, node: Apply) -> Apply | None:
    """Returns the one node that reads what a node computes; None if it is returned, or others read it."""
    clients = graph.clients[node.outputs[0]]
    return graph.applies[clients[0][0]] if len(clients) == 1 and node.outputs[0] not in graph.outputs else None


def _is_view(graph: FunctionGraph, variable: int) -> bool:
    """Whether a Variable shares the memory of another."""
    node = graph.maker(variable)
    return node is not None and bool(node.op.view_map)


def _sum(change: MatrixRewrite, matrix: Matrix, node: Apply, turned: bool) -> Equality | None:
    """The sum of `A·B` over all entries, over rows or over columns; or of its squares."""
    left, right = matrix.parts
    if len(sizes_of(change.table.shape(left))) != 2:
        return None
    axes = node.op.params.get("axis")
    axes = (0, 1) if axes is None else tuple(axes) if isinstance(axes, (list, tuple)) else ()
    if node.op.params.get("pre_scalar_op") == "sqr" and len(axes) == 2:
        return _sum_of_products(change, node, node, (left, right), (left, right))
    if node.op.params.get("pre_scalar_op") is not None or not axes:
        return None
    if len(axes) == 2:
        inner = lambda table: sizes_of(table.shape(left))[1:]  # noqa: E731
        sums = [change.make(node, "Sum", [v], v, inner) for v in (left, right)]
        change.end(node, "Sum", [change.make(node, "Elemwise", sums, left, inner, 0)])
        return Equality.SUM
    over = axes[0] if not turned else 1 - axes[0]
    summed, kept = (left, right) if over == 0 else (right, left)
    free = 1 if over == 0 else 0
    sums_of = change.make(node, "Sum", [summed], summed, lambda table: sizes_of(table.shape(summed))[free : free + 1])
    change.end(node, "Elemwise", [sums_of, kept])
    return Equality.SUM


def _squares(change: MatrixRewrite, matrix: Matrix, node: Apply) -> Equality | None:
    """The sum of the entries of `A·B` squared, or times those of another product `C·D`."""
    graph = change.graph
    after = only_reader(graph, node)
    whole = after is not None and op_info(after.op.name).reduces and after.op.params.get("scalar_op") == "Add"
    plain = after is not None and after.op.params.get("axis") in (None, [0, 1], (0, 1)) and after.op.params.get("pre_scalar_op") is None
    scalar = str(node.op.params.get("scalar_text", node.op.params.get("scalar_op", ""))).lower()
    makers = [graph.maker(v) for v in node.inputs]
    pairs = [m.inputs[:2] for m in makers if m is not None and plain_name(m) in ("Dot22", "Dot", "dot")]
    if after is None or not whole or not plain or len(pairs) != len(node.inputs) or scalar not in ("sqr", "mul") or len(pairs) > 2:
        return None
    if any(len(graph.clients[v]) > 1 for v in node.inputs):
        return None
    return _sum_of_products(change, node, after, (pairs[0][0], pairs[0][1]), (pairs[-1][0], pairs[-1][1]))


def _sum_of_products(change: MatrixRewrite, node: Apply, after: Apply, first: tuple[int, int], second: tuple[int, int]) -> Equality:
    """The sum of `(A·B) * (C·D)`: that of `(A.T·C) * (B·D.T)`."""

    def small(table: ShapeTable) -> Shape:
        return (sizes_of(table.shape(first[0]))[1], sizes_of(table.shape(second[0]))[1])

    pairs = [change.make(after, "Dot22", [a, b], a, small) for a, b in zip(first, second)]
    products = change.make(after, "Elemwise", pairs, first[0], small, 0)
    change.end(after, "Sum", [products])
    if after is not node:
        change.remove(node.id)
    return Equality.SQUARES


def _read(change: MatrixRewrite, node: Apply, table: int, numbers: int, shape: Callable[[ShapeTable], Shape]) -> int:
    """Rows of a table, those that are read already if there are such."""
    wanted = (_origin(change.graph, table), _origin(change.graph, numbers))
    for other in change.graph.applies[: node.id]:
        if plain_name(other) == "AdvancedSubtensor1" and tuple(_origin(change.graph, v) for v in other.inputs) == wanted:
            return other.outputs[0]
    return change.make(node, "AdvancedSubtensor1", [table, _numbers(change, node, numbers)], table, shape)


def _origin(graph: FunctionGraph, variable: int) -> int:
    """The Variable that a Variable is a view or a copy of."""
    while (node := graph.maker(variable)) is not None and (node.op.view_map or op_info(node.op.name).hands_on or node.op.text == COPY):
        variable = node.inputs[0]
    return variable


COPY = "copy"
"""Text of the Op that copies numbers of rows for an Op on the device."""


def _numbers(change: MatrixRewrite, node: Apply, numbers: int) -> int:
    """Numbers of rows as an Op on the device reads them: a copy as int64. One-hot rows that become numbers count as their rows."""
    if not node.op.name.startswith("Gpu"):
        return numbers
    order = next((n.op.params.get("new_order") for n in (change.graph.maker(numbers),) if n), None)
    rows = slice(1, None) if order in ([1, 0], (1, 0)) else slice(0, 1)
    copy = change.make(node, "Copy", [numbers], numbers, lambda table: sizes_of(table.shape(numbers))[rows])
    change.variables[copy] = replace(change.variables[copy], type=Type(TypeKind.GPUARRAY, "int64", (None,)))
    return copy


def _entries(change: MatrixRewrite, matrix: Matrix, node: Apply, turned: bool) -> Equality | None:
    """Entries `(A·B)[i, j]`: the sums of the rows of `A[i] * B.T[j]`."""
    left, right = matrix.parts
    out = node.outputs[0]
    if len(sizes_of(change.table.shape(left))) != 2 or len(sizes_of(change.table.shape(out))) != 1:
        return None
    numbers = [node.inputs[2], node.inputs[1]] if turned else [node.inputs[1], node.inputs[2]]

    def shape(table: ShapeTable) -> Shape:
        return (*sizes_of(table.shape(out)), sizes_of(table.shape(left))[1])

    read = [_read(change, node, v, n, shape) for v, n in zip((left, right), numbers)]
    products = change.make(node, "Elemwise", read, left, shape, 0 if all(i.update is None for i in change.graph.inputs) else None)
    change.end(node, "Sum", [products])
    return Equality.ENTRIES
