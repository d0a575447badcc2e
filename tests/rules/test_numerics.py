"""Rules about memory that dtypes cost (TD4)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.scripts import START, findings, only, placed
from theanodiag.findings import Confidence, Figures, Saving, Severity
from theanodiag.ir import Op, Site
from theanodiag.ir.builder import GraphBuilder, on_device, tensor
from theanodiag.memory.script import Script
from theanodiag.rules.examples import built, device, dot_script, subject
from theanodiag.units import format_bytes

# TD401: how many bytes are double, and what is left with single precision.

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
            'THEANO_FLAGS=floatX=float32\nv = theano.shared(numpy.asarray(np.zeros(p.get_value().shape), dtype="float32"))',
            False,
        ),
        (
            "net.W = theano.shared(numpy.zeros(shape))",
            'THEANO_FLAGS=floatX=float32\nnet.W = theano.shared(numpy.asarray(numpy.zeros(shape), dtype="float32"))',
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


def test_without_the_value_the_line_that_creates_the_variable_is_named() -> None:
    """A function of a library creates it: code with a name that the script does not have would be of no use."""
    site = Site("/lib/lasagne/utils.py", 309, code="return theano.shared(arr, name=name)")
    found = only("TD401", subject(placed(dot_script(10, 100, "float64"), shared=site), LARGE))
    assert found.fix is not None
    assert found.fix.code == "THEANO_FLAGS=floatX=float32\n# W (utils.py:309): create as float32 too, unless its dtype is floatX"


def test_the_code_has_the_value_that_the_script_gives() -> None:
    """Where the text of the script shows it; a name of ours would be unknown there."""
    line = "v = theano.shared(rows[:100], name='v')"
    script = placed(dot_script(10, 100, "float64"), shared=Site("model.py", 3, code=line))
    found = only("TD401", replace(subject(script, LARGE), source=f"import theano\nrows = read()\n{line}\n"))
    assert found.fix is not None
    assert found.fix.code == 'THEANO_FLAGS=floatX=float32\nv = theano.shared(numpy.asarray(rows[:100], dtype="float32"))'


@pytest.mark.parametrize(
    ("flag", "line", "declared"),
    [("float32", "x = T.matrix('x')", True), ("float64", "x = T.dmatrix('x')", True), ("float64", "x = T.matrix('x')", False)],
)
def test_an_argument_that_is_double_whatever_the_flag_says_is_declared_anew(flag: str, line: str, declared: bool) -> None:
    """With the shared variables alone in float32 its products would stay double; the change is then one for a person."""
    script = dot_script(10, 100, "float64")
    (f,) = script.functions
    variables = tuple(replace(v, site=Site("model.py", 2, code=line)) if v.name == "x" else v for v in f.graph.variables)
    script = replace(script, functions=(replace(f, graph=replace(f.graph, variables=variables)),), flags={"floatX": flag})
    found = only("TD401", subject(script, LARGE))
    assert found.fix is not None
    new = 'x = theano.tensor.fmatrix("x")  # and call predict with .astype("float32")'
    assert (new in str(found.fix.code).splitlines()) is declared
    assert not (declared and found.fix.changes)


@pytest.mark.parametrize(("dtype", "new"), [("complex128", 'cmatrix("x")  # and call predict with .astype("complex64")'),
                                             ("float64", 'fmatrix("x")  # and call predict with .astype("float32")')])  # fmt: skip
@pytest.mark.parametrize("line", ["x, y = T.dmatrices('x', 'y')", "x = T.zmatrix()", "x = T.matrix(dtype='float64')"])
def test_complex_arguments_stay_complex(dtype: str, new: str, line: str) -> None:
    """As float32 they would lose their imaginary parts."""
    script = dot_script(10, 100, dtype)
    (f,) = script.functions
    variables = tuple(replace(v, site=Site("model.py", 2, code=line)) if v.name == "x" else v for v in f.graph.variables)
    found = only("TD401", subject(replace(script, functions=(replace(f, graph=replace(f.graph, variables=variables)),)), LARGE))
    assert found.fix is not None
    assert f"x = theano.tensor.{new}" in str(found.fix.code).splitlines()


# TD402: which pairs of dtypes are promoted, what depends on them, and what the change saves, to the byte.

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
    assert found.fix.code == "theano.tensor.cast(mask, theano.config.floatX)"
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
