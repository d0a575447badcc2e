"""Workspace of XLA's matrix products on a GPU, in addition to their results.

XLA may cut a product along its sum into parts (split-K), which are added up afterwards; where the length does not divide evenly both
factors are copied with padding. How many parts is decided by an estimate of the cost. Source: openxla/xla,
backends/gpu/transforms/splitk_rewriter.cc of 2026 (`EstimateGemmCostAfterSplitK`, `GetCostWeights`, `GetPaddedK`), as in jaxlib 0.12;
earlier releases decided otherwise. Below compute capability 8.0 cuBLAS computes products.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Shape, Unknown, numel
from ..settings import XlaCard

TILE = 128
"""Rows and columns of the tiles in which XLA computes a product."""
PER_FLOP = 100.0
"""Cost of one floating-point operation of a tile."""
PARTS = tuple(1 << n for n in range(12))
"""The numbers of parts among which XLA chooses the cheapest."""
ALIGNED = 16
"""Alignment in bytes of the rows of a part."""


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
        """Returns XLA's estimated cost of the product when it is split into `parts` parts."""
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
        """Returns the number of parts into which XLA splits the sums of the product. The results of the parts exist until the reader of the
        product adds them up.
        """
        return min(PARTS, key=lambda n: self.cost(n, card))

    def padded(self, card: XlaCard, *, alike: bool = False) -> int:
        """Returns the bytes of the padded factors; 0 if no padding is needed. With `alike` both factors are the same matrix, which is
        padded once.
        """
        parts = self.parts(card)
        step = parts * ALIGNED // min(ALIGNED, self.itemsize)
        length = -(-self.length // step) * step
        whole = parts == 1 or length == self.length
        rows = max(self.rows, self.columns) if alike else self.rows + self.columns
        return 0 if whole else self.batch * rows * length * self.itemsize

    def in_parts(self, card: XlaCard) -> int:
        """Returns the bytes of the results of all parts; 0 if the product is not split."""
        parts = self.parts(card)
        return 0 if parts == 1 else parts * self.batch * self.rows * self.columns * self.itemsize


def workspace(
    a: Shape | Unknown, b: Shape | Unknown, sizes: tuple[int, int], itemsize: int, card: XlaCard, *, fused: bool, alike: bool = False
) -> int:
    """Returns the workspace in bytes of a product of factors with shapes `a` and `b`.

    `sizes`: bytes of both factors; `itemsize`: bytes of an element; `fused`: a product with a vector would be one loop; `alike`: both
    factors are the same matrix.
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
    """Returns the bytes of the results of all parts of the product of `a` and `b`; 0 if XLA does not split it."""
    product = None if card.cublas else _product(a, b, itemsize)
    return 0 if product is None else product.in_parts(card)


def _product(a: Shape | Unknown, b: Shape | Unknown, itemsize: int) -> Product | None:
    """The Product of two operands of these shapes; None if their lengths are not known."""
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
