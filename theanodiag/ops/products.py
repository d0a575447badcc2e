"""Matrix and vector products, and Blockwise, which repeats an Op over leading dimensions.

On the GPU operands and results are copied where cuBLAS cannot take them as they are.
Sources: Theano 1.0.5 tensor/blas.py, gpuarray/blas.py; libgpuarray 0.7.6, src/gpuarray_array_blas.c; Aesara and PyTensor tensor/blas.py.
"""

from __future__ import annotations

import re
from itertools import chain

from ..agent.shapes.dimensions import (
    Bound,
    NoShape,
    agreed,
    broadcast,
    lift,
    total,
)
from ..ir import Shape, Unknown
from ..ir.shape import Dim, is_exact
from .arrays import Array
from .dtypes import all_inputs, as_input
from .memory_effects import Work, copy_or_reuse, in_c
from .node import Like, Node, Shapes
from .spec import OUT, Equal, GpuLowering, OpSpec, alike, out_rank, rank_of

_SIGNATURE = re.compile(r"((?:\([\w, ]*\),? ?)*)->((?:\([\w, ]*\),? ?)+)")
_FACTORS = re.compile(r"\b(?:QR|SVD)\b")
"""Matches decompositions whose `k` is the smaller of both dimensions. Source: PyTensor 3.0.7 tensor/linalg/decomposition."""
_PART = re.compile(r"\(([\w, ]*)\)")


def dot22(node: Node) -> Shapes:
    """Returns the output shape of Dot22: (rows of the first input, columns of the second)."""
    return [(node.shape(0, least=1)[0], node.shape(1, least=2)[1])]


def dot(node: Node) -> Shapes:
    """Returns the output shape of Dot of scalars, vectors and matrices."""
    a, b = node.shape(0), node.shape(1)
    if not a or not b:
        return [a or b]
    return [a[:-1] + (b[:-2] + b[-1:] if len(b) > 1 else ())]


def gemm(node: Node) -> Shapes:
    """Returns the output shape of Gemm of (C, scalar, A, B, scalar): the shape of C. If a dimension of C is unknown, it is taken from A or
    B.
    """
    return _filled(node, ((2, 0), (3, 1)))


def gemv(node: Node) -> Shapes:
    """Returns the output shape of Gemv of (y, scalar, A, x, scalar): the shape of y. If its length is unknown, it is the number of rows of
    A.
    """
    return _filled(node, ((2, 0),))


def ger(node: Node) -> Shapes:
    """Returns the output shape of Ger of (A, scalar, x, y): the shape of A. If a dimension of A is unknown, it is the length of x or y."""
    return _filled(node, ((2, 0), (3, 0)))


def _filled(node: Node, sources: tuple[tuple[int, int], ...]) -> Shapes:
    """The shape of the first input; an unknown dimension is taken from `sources`, (input, dimension) for each."""
    shape = node.shape(0)
    if len(shape) != len(sources) or is_exact(shape):
        return [shape]
    return [tuple(node.shape(i, least=k + 1)[k] if isinstance(d, Unknown) else d for d, (i, k) in zip(shape, sources))]


def batched_dot(node: Node) -> Shapes:
    """Returns the output shape of BatchedDot: a matrix product for each entry of the first dimension."""
    a, b = node.shape(0, least=1), node.shape(1, least=1)
    return [(agreed([a[0], b[0]]), *a[1:-1], *b[2:])]


def matmul(node: Node) -> Shapes:
    """Returns the output shape of MatMul, as in numpy: products of the last two dimensions, the others broadcast. Source: Aesara 2.9.4
    tensor/math.py.
    """
    a, b = node.shape(0), node.shape(1)
    if not a or not b:
        raise NoShape("MatMul of a scalar")
    batch = broadcast([a[:-2], b[:-2]])
    return [(*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))]


def dot_modulo(node: Node) -> Shapes:
    """Returns the output shape of DotModulo of (A, s, m, A2, s2, m2): both products in one vector, of len(s) + len(s2) elements.

    Source: Theano 1.0.5 sandbox/rng_mrg.py.
    """
    return [(total([node.shape(1, least=1)[0], node.shape(4, least=1)[0]]),)]


def blockwise(node: Node) -> Shapes:
    """Returns the output shapes of Blockwise: the broadcast leading dimensions, then the core dimensions that the signature names."""
    parts = signature(node)
    if parts is None:
        raise NoShape(f"the signature of {node.op.text.partition('{')[0]} is not printed")
    into, out = parts
    shapes = [node.shape(i) for i in range(len(into))]
    if any(len(s) < len(names) for s, names in zip(shapes, into)):
        raise NoShape("Blockwise has an input with fewer dimensions than its signature says")
    batch = broadcast([s[: len(s) - len(names)] for s, names in zip(shapes, into)])
    sizes = {n: d for s, names in zip(shapes, into) for n, d in zip(names, s[len(s) - len(names) :])}
    if "m" in sizes and "n" in sizes and _FACTORS.search(node.op.text):
        sizes.setdefault("k", lift(min, sizes["m"], sizes["n"]))
        if "mode='r'" in node.op.text:  # as in linalg.qr
            sizes["m"] = m if isinstance(m := sizes["m"], Unknown) or m == sizes["k"] else Bound(m)
        if "mode='raw'" in node.op.text:  # as in linalg.qr; the signature is wrong
            out = [("m", "n"), ("k",), ("k", "n"), *out[3:]]
    if "d" in sizes:
        sizes.setdefault("du2", lift(lambda n: max(0, n - 2), sizes["d"]))  # second upper diagonal of tridiagonal factors
    return [batch + core(names, sizes) for names in out]


def core(names: tuple[str, ...], sizes: dict[str, Dim]) -> Shape:
    """Returns the core dimensions with these names in a Blockwise signature. Raises NoShape for a name that no input has."""
    missing = next((n for n in names if n not in sizes and not n.isdigit()), None)
    if missing is not None:
        raise NoShape(f"Blockwise: no input has the signature's dimension {missing}")
    return tuple(sizes[n] if n in sizes else int(n) for n in names)


def signature(node: Node) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]] | None:
    """Returns the names of the core dimensions of inputs and outputs, parsed from a signature such as `(m,n),(n)->(m)`; None if no
    signature is printed.
    """
    signatures = [node.params.get(k) for k in ("signature", "gufunc_signature")]
    text = next((s for s in signatures if isinstance(s, str)), node.op.text)
    match = _SIGNATURE.search(text)
    if match is None:
        return None
    sides = [[tuple(n.strip() for n in p.split(",") if n.strip()) for p in _PART.findall(side)] for side in match.groups()]
    return sides[0], sides[1]


def into(work: Work, good: bool) -> None:
    """Puts the result into the first input if the Op works in place and `good` is true; otherwise into a copy of the first input."""
    source = work.input(0)
    if source is None:
        work.clear(0)
    elif work.node.op.destroy_map and good:
        work.share(0, source)
    else:
        copy_or_reuse(work, source)


def with_copies(work: Work, operands: list[Array | None]) -> None:
    """Copies these operands (None: no copy is necessary). All copies are live together while the product is computed."""
    copies = [work.copied(a, "copy of a strided operand") for a in operands if a is not None]
    for copy in copies:
        work.release(copy)


def scattered(array: Array | None) -> Array | None:
    """Returns `array` if its elements are not in one piece in C or Fortran order, else None."""
    return array if array is not None and not array.one_segment else None


def backward(array: Array | None) -> Array | None:
    """Returns `array` if its first stride is negative, else None."""
    return array if array is not None and array.strides and array.strides[0] < 0 else None


@in_c
def gemm_memory(work: Work) -> None:
    """Memory of GpuGemm, C + A·B. A and B are copied if they are strided."""
    c = work.input(0)
    into(work, c is not None and c.one_segment)
    with_copies(work, [scattered(work.input(2)), scattered(work.input(3))])


@in_c
def dot22_memory(work: Work) -> None:
    """Memory of GpuDot22, A·B, and of GpuDot22Scalar, which also multiplies by a scalar. The operands are copied if they are strided."""
    work.reuse(0)
    with_copies(work, [scattered(work.input(0)), scattered(work.input(1))])


@in_c
def gemv_memory(work: Work) -> None:
    """Memory of GpuGemv, y + A·x. Strided operands are copied, unless A has no columns: then no product is computed."""
    y, a = work.input(0), work.input(2)
    into(work, y is not None and y.strides[0] > 0)
    if a is not None and len(a.shape) == 2 and a.shape[1]:
        with_copies(work, [scattered(a), backward(work.input(3))])


@in_c
def ger_memory(work: Work) -> None:
    """Memory of GpuGer, A + x·yᵀ: x and y are copied if their strides are negative."""
    a = work.input(0)
    into(work, a is not None and a.one_segment)
    with_copies(work, [backward(work.input(2)), backward(work.input(3))])


@in_c
def gemm_batch_memory(work: Work) -> None:
    """Memory of GpuGemmBatch, C + A·B for each entry of a batch: A and B are copied if their last two dimensions are strided."""
    c = work.input(0)
    into(work, c is not None and c.one_segment)
    with_copies(work, [_not_2d(work.input(2)), _not_2d(work.input(3))])


@in_c
def batched_dot_memory(work: Work) -> None:
    """Memory of GpuBatchedDot, a lowered BatchedDot: A·B for each entry of a batch, in a new array."""
    work.replace(0)
    with_copies(work, [_not_2d(work.input(0)), _not_2d(work.input(1))])


def _not_2d(array: Array | None) -> Array | None:
    """`array` if neither of its last two dimensions has unit stride (or one runs backward), else None.

    Source: src/gpuarray_array_blas.c, `is_last_2d_contiguous`.
    """
    if array is None or array.contiguous:
        return None
    last = array.strides[-2:]
    return None if min(last) > 0 and array.itemsize in last else array


def product_agrees(node: Node, a: int = 0, b: int = 1) -> Equal:
    """Yields the pairs of dimensions that a matrix product requires to be equal: the rows, the columns, and the dimension that is summed
    over.
    """
    first, second = rank_of(node, a), rank_of(node, b)
    if not first or not second:
        return
    yield a, first - 1, b, max(0, second - 2), 1
    yield a, 0, OUT, 0, first - 1
    if second == 2:
        yield b, 1, OUT, first - 1, 1


def _gemm_agrees(node: Node) -> Equal:
    """Gemm and Gemv of (array, scalar, factor, factor, scalar)."""
    yield from product_agrees(node, 2, 3)
    yield 0, 0, OUT, 0, out_rank(node)


def _ger_agrees(node: Node) -> Equal:
    """Ger of (matrix, scalar, rows, columns)."""
    return ((2, 0, OUT, 0, 1), (3, 0, OUT, 1, 1), (0, 0, OUT, 0, 2))


def _batched_dot_agrees(node: Node) -> Equal:
    yield 0, 0, 1, 0, 1
    yield 0, 0, OUT, 0, 1
    if rank_of(node, 0) == rank_of(node, 1) == 3:
        yield from ((0, 2, 1, 1, 1), (0, 1, OUT, 1, 1), (1, 2, OUT, 2, 1))


def _blockwise_agrees(node: Node) -> Equal:
    """Blockwise: dimensions with the same name in the signature agree."""
    sides = signature(node)
    if sides is None:
        return
    first: dict[str, tuple[int, int]] = {}
    ranks = [*(rank_of(node, i) for i in range(len(sides[0]))), *(node.out_ndim(i) or 0 for i in range(len(sides[1])))]
    places = [*range(len(sides[0])), *(OUT - i for i in range(len(sides[1])))]
    for names, rank, at in zip(chain(*sides), ranks, places):
        for k, name in enumerate(names, rank - len(names)):
            if not name.isdigit() and k >= 0:
                yield (*first.setdefault(name, (at, k)), at, k, 1)


OPS = (
    OpSpec("BatchedDot", product=True, shape=batched_dot, agrees=_batched_dot_agrees, dtype=all_inputs, gpu_memory=batched_dot_memory,
        gpu=GpuLowering("GpuBatchedDot")),
    OpSpec("CGemv", input_ranks=(1, 0, 2, 1, 0), output_ranks=(1,), factors=(2, 3), shape=gemv, agrees=_gemm_agrees, dtype=as_input(0),
        gpu=GpuLowering("GpuGemv", host_inputs=(1, 4))),
    OpSpec("CGer", input_ranks=(2, 0, 1, 1), output_ranks=(2,), shape=ger, agrees=_ger_agrees, dtype=as_input(0),
        gpu=GpuLowering("GpuGer", host_inputs=(1,))),
    OpSpec("Dot", factors=(0, 1), product=True, printed_as={"dot": {}}, shape=dot, agrees=product_agrees, dtype=all_inputs),
    OpSpec("Dot22", input_ranks=(2, 2), output_ranks=(2,), factors=(0, 1), product=True, shape=dot22, agrees=product_agrees,
        dtype=all_inputs, gpu_memory=dot22_memory, gpu=GpuLowering("GpuDot22")),
    OpSpec("Dot22Scalar", input_ranks=(2, 2, 0), output_ranks=(2,), factors=(0, 1), product=True, shape=dot22, agrees=product_agrees,
        dtype=all_inputs, gpu_memory=dot22_memory, gpu=GpuLowering("GpuDot22Scalar", host_inputs=(2,))),
    OpSpec("Gemm", input_ranks=(2, 0, 2, 2, 0), output_ranks=(2,), factors=(2, 3), product=True, shape=gemm, agrees=_gemm_agrees,
        dtype=as_input(0), gpu_memory=gemm_memory, gpu=GpuLowering("GpuGemm", host_inputs=(1, 4))),
    OpSpec("GemmBatch", shape=Like(0), dtype=as_input(0), gpu_memory=gemm_batch_memory, gpu=GpuLowering(host_inputs=(1, 4))),
    OpSpec("BatchedGemm", gpu=GpuLowering(host_inputs=(1, 4))),
    OpSpec("Gemv", input_ranks=(1, 0, 2, 1, 0), output_ranks=(1,), factors=(2, 3), product=True, shape=gemv, agrees=_gemm_agrees,
        dtype=as_input(0), gpu_memory=gemv_memory, gpu=GpuLowering("GpuGemv", host_inputs=(1, 4))),
    OpSpec("Ger", input_ranks=(2, 0, 1, 1), output_ranks=(2,), product=True, shape=ger, agrees=_ger_agrees, dtype=as_input(0),
        gpu_memory=ger_memory, gpu=GpuLowering("GpuGer", host_inputs=(1,))),
    OpSpec("ScipyGer", shape=ger, agrees=_ger_agrees, dtype=as_input(0), gpu=GpuLowering("GpuGer", host_inputs=(1,))),
    OpSpec("ScipyGemv", gpu=GpuLowering("GpuGemv")),
    OpSpec("Blockwise", product=True, shape=blockwise, agrees=_blockwise_agrees),
    OpSpec("BlockwiseWithCoreShape", shape=blockwise, agrees=_blockwise_agrees),
    OpSpec("DotModulo", shape=dot_modulo),
    OpSpec("MatMul", product=True, shape=matmul, dtype=all_inputs),
    *alike("SparseBlockGemv SparseBlockOuter", shape=Like(0)),
)  # fmt: skip
"""The catalogue entries of this family of Ops."""
