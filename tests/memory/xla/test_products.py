"""Workspace of matrix products against what XLA's compiler said, and the number of parts that follows from the cost."""

from __future__ import annotations

import pytest

from theanodiag.memory.settings import XlaCard
from theanodiag.memory.xla.products import Product, workspace

H100, A100, V100 = XlaCard(132, (9, 0)), XlaCard(108, (8, 0)), XlaCard(80, (7, 0))


@pytest.mark.parametrize(
    ("rows", "length", "columns", "itemsize", "told"),
    [
        # jaxlib 0.12.0.1, compiled ahead of time for an H100: temporaries of `a @ b`.
        (31, 2451, 2181, 8, 45625152),
        (38, 376, 319, 8, 387904),
        (660, 1342, 151, 4, 7549184),
        (1140, 704, 61, 4, 1112640),
        (58, 1341, 471, 8, 7436288),
        (277, 1344, 707, 4, 3133424),
        (188, 14, 3, 4, 0),
        (2, 904, 3, 8, 0),
    ],
)
def test_the_workspace_is_xlas(rows: int, length: int, columns: int, itemsize: int, told: int) -> None:
    """Parts and padded factors; XLA adds less than a kibibyte for the alignment of a buffer."""
    of = Product(1, rows, columns, length, itemsize)
    mine = of.padded(H100) + of.in_parts(H100)
    assert 0 <= told - mine < 1024


def test_cards_differ() -> None:
    """On an older card adding up costs more; below 8.0 cuBLAS computes products."""
    of = Product(1, 64, 200, 3000, 4)
    assert of.in_parts(H100) >= of.in_parts(A100) > 0
    assert workspace((64, 3000), (3000, 200), (1, 1), 4, V100, fused=False) == 4 << 20


def test_a_vector_is_multiplied_and_summed_up() -> None:
    """The products of the elements are written unless that is one loop with the sum."""
    assert workspace((100, 50), (50, 1), (20000, 200), 4, H100, fused=True) == 0
    assert workspace((100, 50), (50, 1), (20000, 200), 4, H100, fused=False) == 20000


def test_a_batch_is_not_a_length() -> None:
    """Factors of three dimensions: the first is that of a batch."""
    assert workspace((500, 30, 40), (500, 40, 30), (0, 0), 4, H100, fused=False) == Product(500, 30, 30, 40, 4).padded(H100)
