"""Sparse matrices and their parts; the number of entries depends on data and is Unknown.

Sources: Theano 1.0.5 sparse/basic.py, sparse/opt.py, sparse/sandbox/sp2.py; PyTensor 3.3.7 sparse/basic.py, sparse/math.py,
sparse/rewriting.py: `infer_shape`, and `perform` where there is none.
"""

from __future__ import annotations

from ..agent.shapes.dimensions import (
    NoShape,
    agreed,
    lift,
    total,
)
from ..ir import Shape, Unknown
from ..ir.shape import Dim
from .dtypes import as_input, first_and
from .indexing import Slice, length_of
from .node import Like, Node, ShapeRule, Shapes
from .products import dot, product_agrees
from .spec import OpSpec, alike


def _entries(node: Node) -> Unknown:
    return Unknown(f"the number of entries of {node.op.name} depends on data")


def matrix(node: Node, position: int) -> tuple[Dim, Dim]:
    """Returns the rows and columns of input number `position`. Raises NoShape if it is not a matrix."""
    shape = node.shape(position)
    if len(shape) != 2:
        raise NoShape(f"{node.op.name} of an input that is not a matrix")
    return shape[0], shape[1]


def from_parts(node: Node) -> Shapes:
    """Returns the output shape of CSM of (entries, positions, beginnings, shape); the shape may come from another matrix's
    CSMProperties.
    """
    dims = node.numbers(3)
    if dims is not None:
        return [tuple(dims)]
    graph = node.state.graph
    owner = graph.variables[node.apply.inputs[3]].owner
    if owner is None or graph.applies[owner].op.name != "CSMProperties" or not graph.applies[owner].inputs:
        raise NoShape(node.reason(3))
    return [matrix(Node(graph.applies[owner], node.state), 0)]


def binomial(node: Node) -> Shapes:
    """Returns the output shape of Binomial: the value of its third input."""
    return [tuple(node.known(2, 2))]


def parts(node: Node) -> Shapes:
    """Returns the output shapes of CSMProperties: entries, their positions, where each row (CSR) or column (CSC) begins, the shape."""
    rows, columns = matrix(node, 0)
    text = node.type(0).text
    ends: Dim = Unknown(f"the text does not say whether {node.op.name} works on rows or columns")
    if "csr" in text or "csc" in text or rows == columns:
        ends = lift(lambda n: n + 1, rows if "csr" in text else columns)
    return [(_entries(node),), (_entries(node),), (ends,), (2,)]


def transposed(node: Node) -> Shapes:
    """Returns the output shape of a sparse Transpose: (columns, rows)."""
    return [matrix(node, 0)[::-1]]


def added(node: Node) -> Shapes:
    """Returns the output shape of the sum of a sparse matrix and a dense one of the same shape, or a dense vector that is added to each
    row.
    """
    return [tuple(agreed(column) for column in zip(matrix(node, 0), node.shape(1)))] if len(node.shape(1)) == 2 else [node.shape(0)]


def square(node: Node) -> Shapes:
    """Returns the output shape of SquareDiagonal: a square matrix with the input vector on its diagonal."""
    n = node.shape(0, least=1)[0]
    return [(n, n)]


def diagonal(node: Node) -> Shapes:
    """Returns the output shape of Diag: the diagonal of a matrix."""
    return [(lift(min, *matrix(node, 0)),)]


def summed(node: Node) -> Shapes:
    """Returns the output shape of SpSum: a sum over all entries, along axis 0 or along axis 1."""
    axis, shape = node.params.get("axis"), matrix(node, 0)
    if axis is None or node.out_ndim() == 0:
        return [()]
    if axis not in (0, 1):
        raise NoShape("the axis of SpSum is not known")
    return [(shape[1 - int(axis)],)]


def stacked(axis: int) -> ShapeRule:
    """Makes the shape rule of HStack (axis 1) and VStack (axis 0)."""

    def rule(node: Node) -> Shapes:
        shapes = [matrix(node, i) for i in range(node.n_inputs)]
        joined, other = total(s[axis] for s in shapes), agreed([s[1 - axis] for s in shapes])
        return [(joined, other) if axis == 0 else (other, joined)]

    return rule


def blocks(node: Node) -> Shapes:
    """Returns the output shape of BlockDiagonal: a matrix with the inputs along its diagonal."""
    shapes = [matrix(node, i) for i in range(node.n_inputs)]
    return [(total(s[0] for s in shapes), total(s[1] for s in shapes))]


def rows_of(node: Node) -> Shapes:
    """Returns the output shape of GetItemList of (matrix, row numbers): one row for each number."""
    return [(node.shape(1, least=1)[0], matrix(node, 0)[1])]


def part(node: Node) -> Shapes:
    """Returns the output shape of GetItem2d of (matrix, start, stop, step of rows, start, stop, step of columns)."""
    shape = matrix(node, 0)
    if node.n_inputs < 7:
        raise NoShape("GetItem2d has fewer indices in this graph than its shape rule needs")
    cuts = [Slice(*(_index(node, first + k) for k in range(3))) for first in (1, 4)]
    return [tuple(length_of(d, cut) for d, cut in zip(shape, cuts))]


def _index(node: Node, position: int) -> Dim | None:
    """One number of a slice; None for an omitted one."""
    text = node.type(position).text.strip("<>")
    return None if text.startswith("NoneType") or "Generic" in text else node.number(position)


def product_by_rows(node: Node) -> Shapes:
    """Returns the output shape of StructuredDotCSR of (data, indices, indptr, dense), whose result is dense."""
    return [(lift(lambda n: n - 1, node.shape(2, least=1)[0]), *node.shape(3)[1:])]


def product_by_columns(node: Node) -> Shapes:
    """Returns the output shape of StructuredDotCSC of (data, indices, indptr, number of rows, dense), whose result is dense."""
    return [(node.number(3), *node.shape(4)[1:])]


def sampled(node: Node) -> Shapes:
    """Returns the output shapes of SamplingDotCSR: the parts of the pattern matrix, shaped as the third to fifth input."""
    return [node.shape(2), node.shape(3), node.shape(4)]


def _nothing(node: Node) -> Shapes:
    no_dimension: Shape = ()
    return [no_dimension]


OPS = (
    *alike("AddSS MulSD MulSS StructuredAddSV", makes_sparse=True, shape=Like(0)),
    OpSpec("CSM", makes_sparse=True, shape=from_parts, dtype=as_input(0)),
    *alike("EnsureSortedIndices SparseFromDense", makes_sparse=True, shape=Like(0), dtype=as_input(0)),
    OpSpec("HStack", makes_sparse=True, shape=stacked(1)),
    OpSpec("VStack", makes_sparse=True, shape=stacked(0)),
    *alike("AddSD AddSparseDense", shape=added),
    *alike("AddSD_ccode AddSparseDenseC Usmm", shape=Like(3)),
    *alike(
        "AddSSData AddSparseSparse AddSparseSparseData CSMGrad CSMGradC Cast ColScaleCSC ConstructSparseFromList EqualSD "
        "EqualSS EqualSparseDense EqualSparseSparse GetItem2ListsGrad GetItemListGrad GreaterEqualSD GreaterEqualSS "
        "GreaterEqualSparseDense GreaterEqualSparseSparse GreaterThanSD GreaterThanSS GreaterThanSparseDense "
        "GreaterThanSparseSparse LessEqualSD LessEqualSS LessEqualSparseDense LessEqualSparseSparse LessThanSD LessThanSS "
        "LessThanSparseDense LessThanSparseSparse MulSDCSC MulSDCSR MulSV MulSVCSR MultiplySparseDense "
        "MultiplySparseDenseVector MultiplySparseSparse Neg NotEqualSD NotEqualSS NotEqualSparseDense NotEqualSparseSparse "
        "Poisson Remove0 RowScaleCSC SparseDenseMultiply SparseDenseVectorMultiply SparseSparseMultiply StructuredAddSVCSR "
        "StructuredAddSparseDenseVector StructuredAddSparseDenseVectorCSR StructuredDotGradCSC StructuredDotGradCSR", shape=Like(0)),
    OpSpec("Binomial", shape=binomial),
    *alike("BlockDiagonal SparseBlockDiagonal", shape=blocks),
    OpSpec("CSMProperties", shape=parts, dtype=first_and("int32")),
    OpSpec("DenseFromSparse", shape=Like(0), dtype=as_input(0)),
    OpSpec("Diag", shape=diagonal),
    *alike("GetItem2Lists Multinomial", shape=Like(1)),
    OpSpec("GetItem2d", shape=part, dtype=as_input(0)),
    OpSpec("GetItemList", shape=rows_of),
    OpSpec("GetItemScalar", shape=_nothing),
    OpSpec("SamplingDot", shape=Like(2)),
    OpSpec("SamplingDotCSR", shape=sampled),
    OpSpec("SpSum", shape=summed),
    *alike("SparseDot StructuredDot TrueDot", shape=dot, agrees=product_agrees),
    OpSpec("SparseTranspose", shape=transposed),
    OpSpec("SquareDiagonal", shape=square),
    OpSpec("StructuredDotCSC", shape=product_by_columns),
    OpSpec("StructuredDotCSR", shape=product_by_rows),
    OpSpec("Transpose", shape=transposed, dtype=as_input(0)),
    OpSpec("UsmmCscDense", shape=Like(6)),
)  # fmt: skip
"""The catalogue entries of this family of Ops."""
