"""Texts with numbers that nobody meant, and of which parts are missing: bounds or Unknown, never a crash or a false figure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.run import theanodiag
from theanodiag.ir import Constant, ShapeTable
from theanodiag.ir.shape import is_exact
from theanodiag.printed import read_debugprint
from theanodiag.workflows import printed_report

SAMPLES = Path(__file__).resolve().parents[2] / "tools" / "fuzz" / "samples"
PLAIN = """Elemwise{tanh} [id A] <TensorType(float32, matrix)>
 |Dot22 [id C] <TensorType(float32, matrix)>
   |x [id B] <TensorType(float32, matrix)>
   |W [id D] <TensorType(float32, matrix)>
"""
SHAPES = (("x", "100000000000,1"), ("W", "1,100000000000"))


def reported(path: Path, *options: str) -> tuple[int, Any]:
    """Exit code and JSON of `theanodiag graph`."""
    done = theanodiag("graph", str(path), "--format", "json", *options)
    return done.returncode, json.loads(done.stdout)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A file with a small typed graph."""
    path = tmp_path / "paste.txt"
    path.write_text(PLAIN)
    return path


@pytest.mark.parametrize("name", ["damaged_fused", "damaged_implied", "damaged_build"])
@pytest.mark.parametrize("options", [(), ("--gpu", "4GiB", "--floatX", "float32", "--shape", "W=784,10")])
def test_damaged_texts_are_reported_on(name: str, options: tuple[str, ...]) -> None:
    """Nodes with fewer inputs than the graphs inside of them read."""
    code, _ = reported(SAMPLES / f"{name}.txt", *options)
    assert code in (0, 1, 2, 53)


def test_addresses_beyond_those_of_any_machine(plain: Path) -> None:
    """Each array of 10^22 elements counts in full, downwards too."""
    code, report = reported(plain, "--gpu", "4GiB", *[f"--shape={name}={shape}" for name, shape in SHAPES])
    assert code == 53
    assert report["process"]["reserved_peak_bytes"] >= 4 * 10**22


@pytest.mark.parametrize("shape", ["x=100000000000,0", "x=0,100000000000"])
def test_arrays_of_nothing_may_be_long(plain: Path, shape: str) -> None:
    """0 bytes, whatever the other dimension is."""
    code, _ = reported(plain, "--shape", shape)
    assert code == 0


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("--shape", "x=" + "9" * 5000 + ",3"),
        ("--shape", "x=9223372036854775808,0"),
        ("--shape", "x=100000000000,100000000000"),
        ("--value", "n=" + "9" * 5000),
        ("--gpu", "9" * 5000),
        ("--device-overhead", "9" * 5000),
        ("--batch-dim", "x:" + "9" * 5000),
    ],
)
def test_numbers_that_nothing_can_have_are_refused(plain: Path, option: str, text: str) -> None:
    """What cannot be a dimension, a value or a size is bad usage, and says so."""
    done = theanodiag("graph", str(plain), option, text)
    assert done.returncode == 2
    assert "bug" not in done.stderr


@pytest.mark.parametrize("number", ["1e308", "1e300", "1e30"])
def test_preallocations_that_nothing_can_have(plain: Path, number: str) -> None:
    """The back-end refuses; the simulation stays finite."""
    code, _ = reported(plain, "--gpu", "4GiB", "--preallocate", number, "--shape", "x=3,4", "--shape", "W=4,5")
    assert code == 53


def constant(text: str) -> Constant:
    """The constant that a leaf is read as."""
    graph = read_debugprint(f"Elemwise{{exp}} [id A] <TensorType(float32, matrix)>\n |{text} [id B] <TensorType(float32, matrix)>\n").graph
    (found,) = (v for v in graph.variables if isinstance(v, Constant))
    return found


def test_a_constant_without_elements_may_be_long() -> None:
    """Its shape is read, and no value is made of it: that would be a hundred thousand million rows."""
    assert constant("TensorConstant{(0, 99999999999) of 1.0}").shape == (0, 99999999999)
    assert constant("TensorConstant{(99999999999, 0) of 1.0}").value is None


def test_a_dimension_of_too_many_digits_is_unknown_and_one() -> None:
    """Not two dimensions, as a reader of eighteen digits at a time would have it."""
    assert len(constant("TensorConstant{(99999999999999999999, 2) of 1.0}").shape) == 2
    assert not is_exact(constant("TensorConstant{(99999999999999999999, 2) of 1.0}").shape)


COMPOSITE = """Elemwise{{Composite{{((i0 - i1) * i2 * i1)}}}} [id A] <TensorType(float32, matrix)>
 |x [id B] <TensorType(float32, (True, True))>
{}"""
BOTH = " |y [id C] <TensorType(float32, matrix)>\n |z [id D] <TensorType(float32, matrix)>\n"


def table(text: str, **shapes: tuple[int, ...]) -> tuple[ShapeTable, int]:
    """The shapes that follow, and the Variable that the text is about."""
    found = printed_report.shaped(read_debugprint(text).graph, shapes)
    return found.table, found.graph.outputs[0]


def test_a_composite_without_all_of_its_inputs_has_no_size() -> None:
    """One of three inputs is left of a cut text: the others may be larger."""
    shapes, out = table(COMPOSITE.format(""))
    assert not is_exact(shapes.shape(out))
    shapes, out = table(COMPOSITE.format(BOTH), y=(3, 4), z=(3, 4))
    assert shapes.shape(out) == (3, 4)


@pytest.mark.parametrize("op", ["Elemwise{sub,no_inplace}", "Elemwise{Switch}", "Elemwise{true_div}", "Sub", "Elemwise{pow}"])
def test_scalar_ops_without_all_of_their_inputs(op: str) -> None:
    """Their number is fixed."""
    shapes, out = table(f"{op} [id A] <TensorType(float32, matrix)>\n |x [id B] <TensorType(float32, (True, True))>\n")
    assert not is_exact(shapes.shape(out))


def test_an_op_whose_inputs_are_not_printed_at_all() -> None:
    """No input is not all inputs of length 1."""
    text = "Elemwise{exp} [id A] <TensorType(float32, matrix)> '' 1\n |Elemwise{tanh} [id B] <TensorType(float32, matrix)> '' 0\n"
    shapes, out = table(text)
    assert not is_exact(shapes.shape(out))


PRINT_SHAPE = "Exp [id A] shape=(50000, 50000)\n └─ x [id B] shape=(50000, 50000)\n"


class TestPrintShape:
    """`print_shape=True`."""

    def test_shapes_are_read(self, tmp_path: Path) -> None:
        """40 GB are needed, and do not fit."""
        path = tmp_path / "paste.txt"
        path.write_text(PRINT_SHAPE)
        code, report = reported(path, "--floatX", "float64", "--gpu", "4GiB")
        assert (code, report["process"]["fits"]) == (53, False)
        assert report["process"]["live_peak_bytes"] >= 2 * 8 * 50000**2

    def test_without_a_dtype_nothing_fits(self, tmp_path: Path) -> None:
        """The shapes say nothing of bytes."""
        path = tmp_path / "paste.txt"
        path.write_text(PRINT_SHAPE)
        _, report = reported(path, "--gpu", "4GiB")
        assert report["process"]["fits"] is not True

    def test_what_is_fixed_cannot_be_otherwise(self) -> None:
        """A given shape is held against the printed one, of which a dimension may be open."""
        text = read_debugprint("Exp [id A] shape=(?, 5)\n └─ x [id B] shape=(?, 5)\n")
        assert set(text.main.static.values()) == {(None, 5)}
        static = text.main.static
        assert printed_report.shaped(text.graph, {"x": (3, 5)}, static=static).needed == ()
        with pytest.raises(Exception, match=r"its type has \(\?, 5\)"):
            printed_report.shaped(text.graph, {"x": (3, 4)}, static=static)

    def test_scalars_are_scalars(self) -> None:
        """`shape=()` needs no --shape."""
        text = read_debugprint("Add [id A] shape=(5,)\n ├─ x [id B] shape=(5,)\n └─ n [id C] shape=()\n")
        assert printed_report.shaped(text.graph, {}, static=text.main.static).needed == ()


TWICE = """Dot22 [id A] <TensorType(float32, matrix)>
 |Dot22 [id B] <TensorType(float32, matrix)>
 | |x [id C] <TensorType(float32, matrix)>
 | |W [id D] <TensorType(float32, matrix)>
 |W [id E] <TensorType(float32, matrix)>
"""


class TestInputsOfOneName:
    """The tutorials call the weights of each layer W."""

    def test_each_can_be_told(self) -> None:
        """By its number among those of its name; without a number all of them."""
        shapes, out = table(TWICE, x=(2, 3), **{"W#1": (3, 4), "W#2": (4, 5)})
        assert shapes.shape(out) == (2, 5)
        shapes, out = table(TWICE, x=(2, 3), W=(3, 3))
        assert shapes.shape(out) == (2, 3)

    def test_each_is_asked_for(self) -> None:
        """By the name that tells it."""
        assert printed_report.shaped(read_debugprint(TWICE).graph, {"x": (2, 3)}).needed == ("W#1", "W#2")

    def test_a_name_given_again_is_the_next(self, tmp_path: Path) -> None:
        """On the command line, in the order of the text."""
        path = tmp_path / "paste.txt"
        path.write_text(TWICE)
        code, report = reported(path, "--shape=x=2,3", "--shape=W=3,4", "--shape=W=4,5")
        assert (code, report["process"]["live_peak_bytes"]) == (0, 4 * (2 * 3 + 3 * 4 + 4 * 5 + 2 * 4 + 2 * 5))
