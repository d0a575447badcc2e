"""TD005: what libgpuarray refuses, beside the real one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plans.judge import ran
from tests.rules.scripts import findings, only
from theanodiag.ir import Op
from theanodiag.ir.builder import GraphBuilder, on_device
from theanodiag.rules.coverage import product_too_large
from theanodiag.rules.examples import built, device, subject
from theanodiag.units import GIB

SCRIPT = """
import numpy, theano, theano.tensor as T
W = theano.shared(numpy.zeros((16, 1 << 20), "float32"))
x = T.fmatrix()
theano.function([x], T.dot(x, W).sum())(numpy.zeros((ROWS, 16), "float32"))
"""


@pytest.mark.parametrize("rows", [2047, 2048])
def test_the_real_one_refuses_what_is_found(tmp_path: Path, rows: int) -> None:
    """Though the card has room for four of them."""
    script = tmp_path / "wide.py"
    script.write_text(SCRIPT.replace("ROWS", str(rows)), encoding="utf-8")
    real = ran(tmp_path, script, "floatX=float32", 40 * GIB)
    assert real.fits is (rows < 2048), real.error
    assert real.fits or "GpuDot22(GpuFromHost" in real.error
    assert real.reserved < 9 * GIB


def test_what_is_told() -> None:
    """The Op, the matrix and the limit."""
    found = only("TD005", product_too_large.fires())
    assert "GpuDot22 of f has a matrix of 2048 x 1048576: libgpuarray refuses one of more than 2147483647 entries" in found.message


def test_a_batch_counts_each_matrix() -> None:
    """64 of 8192 by 4096 are 2147483648 entries, and taken."""
    b = GraphBuilder("f")
    x, y, z = (b.argument(n, on_device(64, *s)) for n, s in (("x", (8192, 2)), ("y", (2, 4096)), ("z", (8192, 4096))))
    made = b.apply(Op("GpuGemmBatch", "GpuGemmBatch"), [z, x, y], on_device(64, 8192, 4096))
    assert findings("TD005", subject(built(b, made), device(80_000_000_000))) == []
