"""TD401: how many bytes are double, and what is left with single precision."""

from __future__ import annotations

import pytest

from tests.rules.scripts import START, findings, only, placed
from theanodiag.findings import Confidence, Figures, Saving, Severity
from theanodiag.ir import Site
from theanodiag.rules.examples import device, dot_script, subject
from theanodiag.units import format_bytes

LARGE = device(10_000_000)
SIZES = [pytest.param(10, 100, id="ten rows"), pytest.param(16, 64, id="whole fragments"), pytest.param(200, 40, id="more rows")]


def rounded(size: int) -> int:
    """The bytes that libgpuarray's cache counts: whole fragments of 64."""
    return -(-size // 64) * 64


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_bytes_before_and_after(rows: int, columns: int) -> None:
    """All three arrays are double; single precision takes half of each, up to a fragment."""
    before = rounded(columns * columns * 8) + 2 * rounded(rows * columns * 8)
    after = rounded(columns * columns * 4) + 2 * rounded(rows * columns * 4)
    found = only("TD401", subject(dot_script(rows, columns, "float64"), LARGE))
    words = found.message
    assert words.startswith(f"predict: {format_bytes(before)} of float64")
    assert f"the live peak is {format_bytes(after)} instead of {format_bytes(before)}, reserved " in words
    wide, narrow = (subject(dot_script(rows, columns, t), LARGE).process.reserved_peak_bytes for t in ("float64", "float32"))
    assert wide == narrow, "the first block of libgpuarray's cache holds both"
    assert words.endswith(f"reserved {format_bytes(wide)} as before")
    assert found.saves == Saving(wide - narrow)


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_figures_after_the_advice(rows: int, columns: int) -> None:
    """Those of the same script in float32: W before and after the call, all in the first block."""
    weights, product = rounded(columns * columns * 4), rounded(rows * columns * 4)
    found = only("TD401", subject(dot_script(rows, columns, "float64"), LARGE))
    assert found.after == Figures(weights, weights + 2 * product, weights, START)
    single = subject(dot_script(rows, columns, "float32"), LARGE)
    assert single.profiled()[0][1].figures == found.after


@pytest.mark.parametrize(
    ("shared", "function", "place"),
    [(Site("net.py", 3), Site("net.py", 9), "net.py:3"), (None, Site("net.py", 9), "net.py:9"), (None, None, "model.py")],
    ids=["the array", "the function", "the script"],
)
def test_place_is_the_first_wide_array(shared: Site | None, function: Site | None, place: str) -> None:
    """Or what is known of it."""
    found = only("TD401", subject(placed(dot_script(10, 100, "float64"), shared=shared, function=function), LARGE))
    assert (str(found.location), found.location.detail) == (place, "W")
    assert (found.severity, found.confidence) == (Severity.WARNING, Confidence.DERIVED)


def test_complex_numbers_are_wide_too() -> None:
    """complex128 takes 16 bytes: 160 000 for W and 16 000 each for the rest, half of it afterwards."""
    found = only("TD401", subject(dot_script(10, 100, "complex128"), LARGE))
    assert found.after
    assert found.after.live_peak_bytes == 80_000 + 8_000 + 8_000


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64", "float16"])
def test_other_types(dtype: str) -> None:
    """int64 is as wide, but no float."""
    assert findings("TD401", subject(dot_script(10, 100, dtype), LARGE)) == []


def test_host_computes_doubles_well() -> None:
    """Without a device nothing is said."""
    assert findings("TD401", subject(dot_script(10, 100, "float64"))) == []


@pytest.mark.parametrize(
    ("line", "code", "changes"),
    [
        ("return theano.shared(numpy.zeros(shape, floatX))", "THEANO_FLAGS=floatX=float32", True),
        ("v = theano.shared(p.get_value() * 0.)", "THEANO_FLAGS=floatX=float32", True),
        (
            "v = theano.shared(np.zeros(p.get_value().shape))",
            'THEANO_FLAGS=floatX=float32\nv = theano.shared(numpy.asarray(v_data, dtype="float32"))',
            False,
        ),
        (
            "net.W = theano.shared(numpy.zeros(shape))",
            'THEANO_FLAGS=floatX=float32\nnet.W = theano.shared(numpy.asarray(net_W_data, dtype="float32"))',
            False,
        ),
    ],
)
def test_the_flag_alone_where_the_line_says_floatx(line: str, code: str, changes: bool) -> None:
    """An array that follows floatX, in a module of the script's own, needs no other change."""
    script = placed(dot_script(10, 100, "float64"), shared=Site("kit.py", 3, code=line))
    found = only("TD401", subject(script, LARGE))
    assert found.fix is not None
    assert (found.fix.code, bool(found.fix.changes)) == (code, changes)
