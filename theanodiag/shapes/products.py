"""Shape rules of matrix and vector products, and of Blockwise, which repeats an Op over leading dimensions."""

from __future__ import annotations

import re

from ..agent.shapes.dimensions import Bound, NoShape, agreed, broadcast, lift, total
from ..ir.shape import Dim, Shape, Unknown, is_exact
from .registry import Rule, Shapes, like
from .state import Node

_SIGNATURE = re.compile(r"((?:\([\w, ]*\),? ?)*)->((?:\([\w, ]*\),? ?)+)")
_FACTORS = re.compile(r"\b(?:QR|SVD)\b")
"""Decompositions whose `k` is the lesser of both dimensions. Source: PyTensor 3.0.7 tensor/linalg/decomposition."""
_PART = re.compile(r"\(([\w, ]*)\)")


def dot22(node: Node) -> Shapes:
    """Dot22: (rows of the first input, columns of the second)."""
    return [(node.shape(0, least=1)[0], node.shape(1, least=2)[1])]


def dot(node: Node) -> Shapes:
    """Dot of scalars, vectors and matrices."""
    a, b = node.shape(0), node.shape(1)
    if not a or not b:
        return [a or b]
    return [a[:-1] + (b[:-2] + b[-1:] if len(b) > 1 else ())]


def gemm(node: Node) -> Shapes:
    """Gemm of (C, scalar, A, B, scalar): the shape of C; an unknown dimension is that of A or B."""
    return _filled(node, ((2, 0), (3, 1)))


def gemv(node: Node) -> Shapes:
    """Gemv of (y, scalar, A, x, scalar): the shape of y; an unknown length is the number of rows of A."""
    return _filled(node, ((2, 0),))


def ger(node: Node) -> Shapes:
    """Ger of (A, scalar, x, y): the shape of A; an unknown dimension is the length of x or y."""
    return _filled(node, ((2, 0), (3, 0)))


def _filled(node: Node, sources: tuple[tuple[int, int], ...]) -> Shapes:
    """The shape of the first input; an unknown dimension is taken from `sources`, (input, dimension) for each."""
    shape = node.shape(0)
    if len(shape) != len(sources) or is_exact(shape):
        return [shape]
    return [tuple(node.shape(i, least=k + 1)[k] if isinstance(d, Unknown) else d for d, (i, k) in zip(shape, sources))]


def batched_dot(node: Node) -> Shapes:
    """BatchedDot: a matrix product for each entry of the first dimension."""
    a, b = node.shape(0, least=1), node.shape(1, least=1)
    return [(agreed([a[0], b[0]]), *a[1:-1], *b[2:])]


def matmul(node: Node) -> Shapes:
    """MatMul, as numpy's matmul: products of the last two dimensions, the others broadcast. Source: Aesara 2.9.4 tensor/math.py."""
    a, b = node.shape(0), node.shape(1)
    if not a or not b:
        raise NoShape("MatMul of a scalar")
    batch = broadcast([a[:-2], b[:-2]])
    return [(*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))]


def dot_modulo(node: Node) -> Shapes:
    """DotModulo of (A, s, m, A2, s2, m2): both products in one vector, of len(s) + len(s2) elements.

    Source: Theano 1.0.5 sandbox/rng_mrg.py.
    """
    return [(total([node.shape(1, least=1)[0], node.shape(4, least=1)[0]]),)]


def blockwise(node: Node) -> Shapes:
    """Blockwise: the broadcast leading dimensions, then the core dimensions that the signature names."""
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
    """The core dimensions with these names; raises NoShape for a name that no input has."""
    missing = next((n for n in names if n not in sizes and not n.isdigit()), None)
    if missing is not None:
        raise NoShape(f"Blockwise: the signature's dimension {missing} is that of no input")
    return tuple(sizes[n] if n in sizes else int(n) for n in names)


def signature(node: Node) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]] | None:
    """Names of the core dimensions of inputs and outputs, parsed from `(m,n),(n)->(m)`; None where no signature is printed."""
    said = [node.params.get(k) for k in ("signature", "gufunc_signature")]
    text = next((s for s in said if isinstance(s, str)), node.op.text)
    match = _SIGNATURE.search(text)
    if match is None:
        return None
    sides = [[tuple(n.strip() for n in p.split(",") if n.strip()) for p in _PART.findall(side)] for side in match.groups()]
    return sides[0], sides[1]


RULES: dict[str, Rule] = {
    "Dot22": dot22, "Dot22Scalar": dot22, "Dot": dot, "MatMul": matmul, "DotModulo": dot_modulo, "BatchedDot": batched_dot,
    "Blockwise": blockwise, "BlockwiseWithCoreShape": blockwise,
    "Gemm": gemm, **dict.fromkeys(("Gemv", "CGemv"), gemv), **dict.fromkeys(("Ger", "CGer", "ScipyGer"), ger),
    **dict.fromkeys(("GemmBatch", "SparseBlockGemv", "SparseBlockOuter"), like(0)),
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""
