"""Workspace of XLA's matrix products on a GPU, in addition to their results.

XLA may cut a product along its sum into parts (split-K), which are added up afterwards; where the length does not divide evenly both
factors are copied with padding. How many parts is decided by an estimate of the cost. Source: openxla/xla,
backends/gpu/transforms/splitk_rewriter.cc of 2026 (`EstimateGemmCostAfterSplitK`, `GetCostWeights`, `GetPaddedK`), as in jaxlib 0.12;
earlier releases decided otherwise. Below compute capability 8.0 cuBLAS computes products.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Shape, Unknown, numel
from ...ops.registry import by_name
from ..settings import XlaCard

PRODUCTS = tuple(name for name, op in by_name().items() if op.product)
"""Ops that compute matrix products."""
TILE = 128
"""Rows and columns of a tile of the result."""
PER_FLOP = 100.0
"""Cost of one floating-point operation of a tile."""
PARTS = tuple(1 << n for n in range(12))
"""Numbers of parts among which the cheapest is chosen."""
ALIGNED = 16
"""Alignment in bytes of a row of a part."""


@dataclass(frozen=True)
class Weights:
    """Costs on one generation of GPUs, relative to `PER_FLOP`."""

    memory: float
    """Cost of reading or writing one byte in the product."""
    added: float
    """Cost of reading or writing one byte while the parts are added up."""
    launch: float
    """Cost of launching the kernel that adds up the parts."""


WEIGHTS = (((10, 0), Weights(0.0848863, 189.711, 1.21563e08)), ((9, 0), Weights(0.194136, 193.1384, 4.36e07)))
"""Lowest compute capability of a generation and its weights, newest first."""
OLDER = Weights(0.0666955, 467.815, 5.65307e07)
"""The weights of all older generations."""


@dataclass(frozen=True)
class Product:
    """The dimensions of a matrix product."""

    batch: int
    rows: int
    columns: int
    length: int
    """Number of terms in each sum."""
    itemsize: int
    """Bytes of an element."""

    def cost(self, parts: int, card: XlaCard) -> float:
        """XLA's estimated cost of the product when it is split into `parts` parts."""
        weights = next((w for lowest, w in WEIGHTS if card.capability >= lowest), OLDER)
        rows, columns, batch = min(self.rows, TILE), min(self.columns, TILE), self.batch * parts
        tiles = batch * -(-self.rows // TILE) * -(-self.columns // TILE)
        waves = max(1.0, tiles * rows * columns / (card.cores * TILE * TILE))
        computed = 2.0 * rows * columns * -(-self.length // parts) * waves * PER_FLOP
        read = (self.rows + self.columns) * self.length * self.batch * self.itemsize
        written = self.rows * self.columns * batch * self.itemsize
        cost = max(computed, (read + written) * weights.memory)
        return cost if parts == 1 else cost + weights.launch + (written + written // parts) * weights.added

    def parts(self, card: XlaCard) -> int:
        """Number of parts into which the product is split; their results are kept until they are added up by the reader of the product."""
        return min(PARTS, key=lambda n: self.cost(n, card))

    def padded(self, card: XlaCard, *, alike: bool = False) -> int:
        """Bytes of the padded factors (one or both); 0 if no padding is needed."""
        parts = self.parts(card)
        step = parts * ALIGNED // min(ALIGNED, self.itemsize)
        length = -(-self.length // step) * step
        whole = parts == 1 or length == self.length
        rows = max(self.rows, self.columns) if alike else self.rows + self.columns
        return 0 if whole else self.batch * rows * length * self.itemsize

    def in_parts(self, card: XlaCard) -> int:
        """Bytes of the results of all parts; 0 if it is not split."""
        parts = self.parts(card)
        return 0 if parts == 1 else parts * self.batch * self.rows * self.columns * self.itemsize


def scratch(
    a: Shape | Unknown, b: Shape | Unknown, sizes: tuple[int, int], itemsize: int, card: XlaCard, *, fused: bool, alike: bool = False
) -> int:
    """Workspace in bytes of a product of factors with shapes `a` and `b`.

    `sizes` are the bytes of both factors, `itemsize` the bytes of an element; `fused`: a product with a vector would be one loop; `alike`:
    both factors show one matrix.
    """
    if card.cublas:
        return card.cublas
    product = _product(a, b, itemsize)
    if product is None:
        return sum(sizes)
    if min(product.rows, product.columns) == 1 and product.batch == 1:
        # Multiplied and summed up: the products of the elements are written where that is not one loop.
        return 0 if fused else max(sizes)
    return product.padded(card, alike=alike)


def in_parts(a: Shape | Unknown, b: Shape | Unknown, itemsize: int, card: XlaCard) -> int:
    """Bytes of the parts of a product, which its reader adds up; 0 if it is not split."""
    product = None if card.cublas else _product(a, b, itemsize)
    return 0 if product is None else product.in_parts(card)


def _product(a: Shape | Unknown, b: Shape | Unknown, itemsize: int) -> Product | None:
    """The lengths of a product; None where they are not known."""
    if isinstance(a, Unknown) or isinstance(b, Unknown) or not a or not b:
        return None
    stacked = len(a) > 2 and len(b) > 2
    batch = numel(a[:-2]) if stacked else 1
    rows = a[-2] if stacked else numel(a[:-1])
    columns = b[-1] if stacked or len(b) > 1 else 1
    length = a[-1]
    if isinstance(batch, Unknown) or isinstance(rows, Unknown) or isinstance(columns, Unknown) or isinstance(length, Unknown):
        return None
    return Product(batch, rows, columns, length, itemsize) if min(batch, rows, columns, length) > 0 else None
