"""Workspace that XLA takes for matrix products on a GPU, beside their results.

A product with a small result and a long sum is cut along the sum (split-K): the parts of the result are added up afterwards, and where the
length does not divide evenly both factors are copied with padding. cuBLAS gets a workspace. Source: XLA, service/gpu (gemm fusion search
space, `gemm_rewriter`), and its figures for products from 2 x 3 x 5 to 1024 x 1024 x 1024 on sm_90, in float32 and float64.
"""

from __future__ import annotations

from ...ir import Shape, Unknown, numel

PRODUCTS = ("Dot", "Dot22", "Dot22Scalar", "Gemm", "Gemv", "Ger", "BatchedDot", "MatMul", "Blockwise")
"""Ops that compute matrix products."""
TILE = 64
"""Rows and columns of a tile of the result."""
MOST_TILES, MOST_OF_LONG = 1024, 512
"""Number of tiles, over all parts, that keep a card busy: a product is not cut further.

For sums of up to `LONG` terms it is `MOST_TILES` divided by the bytes of an element, for longer ones `MOST_OF_LONG`.
"""
LONG = 1024
"""Number of terms above which a sum counts as long."""
LEAST_SUM = 32
"""A sum is not cut into parts shorter than this."""
MOST_PARTS = 128
"""Largest number of parts."""


def scratch(a: Shape | Unknown, b: Shape | Unknown, sizes: tuple[int, int, int], itemsize: int) -> int:
    """Workspace in bytes of a product of factors with shapes `a` and `b`.

    `sizes` are the bytes of both factors and of the result, `itemsize` the bytes of an element.
    """
    left, right, result = sizes
    if isinstance(a, Unknown) or isinstance(b, Unknown) or not a or not b:
        return left + right
    length = a[-1]
    rows, columns = numel(a[:-1]), numel(b[1:]) if len(b) < 3 else b[-1]
    if isinstance(length, Unknown) or isinstance(rows, Unknown) or isinstance(columns, Unknown) or not length:
        return left + right
    tiles = max(1, -(-rows // TILE) * -(-columns // TILE))
    busy = MOST_OF_LONG if length > LONG else MOST_TILES // itemsize
    parts = _power(min(MOST_PARTS, length // LEAST_SUM, busy // tiles))
    if parts == 1:
        return left + right if min(rows, columns) == 1 else 0
    padded = 0 if length % (16 * parts) == 0 else int((left + right) * (1 + 16 * parts / length))
    return padded + parts * result


def _power(most: int) -> int:
    """The highest power of two up to `most`, at least 1."""
    return 1 << (most.bit_length() - 1) if most > 0 else 1
