"""TD402: which pairs of dtypes are promoted, what depends on them, and what the change saves, to the byte."""

from __future__ import annotations

import pytest

from tests.rules.scripts import findings, only
from theanodiag.findings import Severity
from theanodiag.ir import Op
from theanodiag.ir.builder import GraphBuilder, on_device, tensor
from theanodiag.memory.script import Script
from theanodiag.rules.examples import built, device, subject

CARD = device(1_000_000_000)
ROWS, COLUMNS = 2000, 1000
CELLS = ROWS * COLUMNS
MUL = Op("GpuElemwise", "mul")


def masked(dtype: str, *, floatx: str = "float32", wide_x: bool = False, rows: int = ROWS) -> Script:
    """tanh(x * mask), not in place."""
    b = GraphBuilder("masked")
    x = b.argument("x", on_device(rows, COLUMNS, dtype="float64" if wide_x else "float32"))
    mask = b.argument("mask", on_device(rows, COLUMNS, dtype=dtype))
    wide = on_device(rows, COLUMNS, dtype="float64")
    return built(b, b.apply(Op("GpuElemwise", "tanh"), [b.apply(MUL, [x, mask], wide)], wide), flags={"floatX": floatx})


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_product_and_all_that_follows_are_halved(dtype: str) -> None:
    """Both results are float64 only for the mask: each is half as large."""
    found = only("TD402", subject(masked(dtype), CARD))
    size = 4 if dtype.endswith("32") else 8
    now, then = CELLS * (4 + size + 8 + 8), CELLS * (4 + size + 4 + 4)
    assert found.after is not None
    assert found.after.live_peak_bytes == then
    assert found.saves is not None
    assert found.saves.bytes == now - then
    assert f"masked: mask of {dtype} makes 15.3 MiB of float64, 7.6 MiB as float32" in found.message
    assert found.fix is not None
    assert found.fix.code == "T.cast(mask, theano.config.floatX)"
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize(
    "script",
    [masked("int32", floatx="float64"), masked("int32", wide_x=True), masked("int32", rows=1), masked("int8")],
    ids=["floatX is float64", "float64 was there before", "a few numbers", "integers that float32 holds"],
)
def test_what_is_meant_or_small_is_left_alone(script: Script) -> None:
    """No finding."""
    assert findings("TD402", subject(script, CARD)) == []


def test_constant_of_float64_is_a_cause_too() -> None:
    """One number makes the whole array wide."""
    b = GraphBuilder("scaled")
    x, c = b.argument("x", on_device(ROWS, COLUMNS)), b.constant(on_device(1, 1, dtype="float64"), 0.1)
    y = b.apply(MUL, [x, c], on_device(ROWS, COLUMNS, dtype="float64"))
    found = only("TD402", subject(built(b, y, flags={"floatX": "float32"}), CARD))
    assert "a constant of float64 makes 15.3 MiB" in found.message
    assert found.fix is not None
    assert found.fix.code == "numpy.float32(...)"


def test_what_is_float64_for_another_reason_stays() -> None:
    """The sum with a float64 argument is as wide as before: only the product is halved."""
    b = GraphBuilder("mixed")
    wide = on_device(ROWS, COLUMNS, dtype="float64")
    x, mask = b.argument("x", on_device(ROWS, COLUMNS)), b.argument("mask", on_device(ROWS, COLUMNS, dtype="int32"))
    z = b.argument("z", wide)
    y = b.apply(MUL, [x, mask], wide)
    out = b.apply(Op("GpuElemwise", "add"), [y, z], wide)
    found = only("TD402", subject(built(b, out, flags={"floatX": "float32"}), CARD))
    assert found.after is not None
    assert found.after.live_peak_bytes == CELLS * (4 + 4 + 8 + 4 + 8)


def test_host_is_told_quietly() -> None:
    """Where nothing is on a device it is a hint."""
    b = GraphBuilder("f")
    x, mask = b.argument("x", tensor(ROWS, COLUMNS)), b.argument("mask", tensor(ROWS, COLUMNS, dtype="int64"))
    y = b.apply(Op("Elemwise", "mul"), [x, mask], tensor(ROWS, COLUMNS, dtype="float64"))
    assert only("TD402", subject(built(b, y, flags={"floatX": "float32"}))).severity is Severity.INFO
