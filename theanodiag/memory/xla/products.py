"""What XLA takes for products of matrices on a GPU, beside their results.

A product with few results and a long sum is cut along the sum (split-K): the parts of the result are added up afterwards, and where the
length does not divide evenly both factors are padded copies. cuBLAS gets a workspace. Source: XLA, service/gpu (gemm fusion search space,
`gemm_rewriter`), and what it gives for products from 2 x 3 x 5 to 1024 x 1024 x 1024 on sm_90, in float32 and float64.
"""

from __future__ import annotations

from ...ir import Shape, Unknown, numel

PRODUCTS = ("Dot", "Dot22", "Dot22Scalar", "Gemm", "Gemv", "Ger", "BatchedDot", "MatMul", "Blockwise")
TILE = 64
MOST_TILES, MOST_OF_LONG = 1024, 512
"""So many tiles of the result, in parts, keep a card busy: it is not cut further. Bytes of an element divide the first, which is for sums
of up to `LONG` terms."""
LONG = 1024
LEAST_SUM = 32
"""A sum is not cut below this length."""
MOST_PARTS = 128


def scratch(a: Shape | Unknown, b: Shape | Unknown, sizes: tuple[int, int, int], itemsize: int) -> int:
    """Bytes for a product of factors of these shapes; `sizes` are the bytes of both and of the result, `itemsize` those of an element."""
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
