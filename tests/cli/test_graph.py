"""`theanodiag graph` as users run it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from theanodiag.cli.graph import text_of
from theanodiag.devices import overhead_bytes
from theanodiag.errors import ExitCode, UnreadableError, UsageError
from theanodiag.requests import GraphRequest
from theanodiag.units import format_bytes

from ..interpreters import ROOT
from .run import theanodiag

TEXT = """
HostFromGpu(gpuarray) [id A] <TensorType(float32, matrix)> ''   2
 |GpuDot22 [id B] <GpuArrayType<None>(float32, matrix)> ''   1
   |GpuFromHost<None> [id C] <GpuArrayType<None>(float32, matrix)> ''   0
   | |x [id D] <TensorType(float32, matrix)>
   |W [id E] <GpuArrayType<None>(float32, matrix)>
"""
SHAPES = ("--shape", "x=128,784", "--shape", "W=784,10")


@pytest.fixture
def paste(tmp_path: Path) -> str:
    """A file with a printed graph in it."""
    path = tmp_path / "paste.txt"
    path.write_text(f"somebody wrote:\n{TEXT}\nwhy?\n", encoding="utf-8")
    return str(path)


def test_the_report_of_a_file(paste: str) -> None:
    """One function, its device, and no need for more."""
    done = theanodiag("graph", paste, *SHAPES, "--gpu", "4GiB")
    assert done.returncode == ExitCode.CLEAN, done.stderr
    assert "fits on 4GiB" in done.stdout
    assert "not checked" not in done.stdout


def test_standard_input_as_json() -> None:
    """The same contract as that of `check`."""
    command = [sys.executable, "-m", "theanodiag", "graph", "-", *SHAPES, "--gpu", "4GiB", "--format", "json"]
    done = subprocess.run(command, input=TEXT, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    document = json.loads(done.stdout)
    assert document["target"]["model"] == "<stdin>"
    assert document["target"]["framework"]["name"] == "theano"
    assert document["functions"][0]["calls"]
    assert document["process"]["fits"] is True


def test_what_nobody_knows_the_size_of_is_no_need_of_0_bytes() -> None:
    """It is a lower bound, and the way to exact figures names standard input as it has to be given."""
    command = [sys.executable, "-m", "theanodiag", "graph", "-"]
    done = subprocess.run(command, input="exp [id A]\n |x [id B]\n", cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert "theanodiag graph - --shape x=N,N" in done.stdout
    assert "the function needs at least 0 B of host memory" in done.stdout
    assert "next: theanodiag graph - --shape x=N,N --floatX float32" in done.stdout.splitlines()[:5]


def test_what_is_still_needed_is_said(paste: str) -> None:
    """By the names of the inputs, with what is known of them; and a command that has it all."""
    done = theanodiag("graph", paste, "--shape", "x=128,784")
    assert done.returncode == ExitCode.CLEAN
    assert "the shape of W: it is not in the text; give --shape W=784,N" in done.stdout
    assert "the shape of x" not in done.stdout
    assert "--shape x=128,784 --shape W=784,N" in " ".join(done.stdout.split())


def test_a_card_that_is_too_small(paste: str) -> None:
    """The exit code says it."""
    done = theanodiag("graph", paste, "--shape", "x=200000,10000", "--shape", "W=10000,10000", "--gpu", "4GiB")
    assert done.returncode == ExitCode.OUT_OF_MEMORY


def test_without_garbage_collection_more_stays(paste: str) -> None:
    """Intermediates outlive the call."""
    kept, freed = (
        json.loads(theanodiag("graph", paste, *SHAPES, "--gpu", "4GiB", flag, "--format", "json").stdout)["process"]
        for flag in ("--no-allow-gc", "--allow-gc")
    )
    assert kept["persistent_bytes"] > freed["persistent_bytes"]


def test_a_preallocation_is_reserved(paste: str) -> None:
    """Above 1 it is in MB."""
    done = theanodiag("graph", paste, *SHAPES, "--gpu", "4GiB", "--preallocate", "512", "--format", "json")
    assert json.loads(done.stdout)["process"]["reserved_peak_bytes"] >= 512 << 20


@pytest.mark.parametrize("asked", ["y=1", "x=1", "x", "x=a,b"])
def test_shapes_that_make_no_sense(paste: str, asked: str) -> None:
    """Usage errors, with help, and no traceback."""
    done = theanodiag("graph", paste, "--shape", asked)
    assert done.returncode == ExitCode.USAGE
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("asked", [["--value", "x=3"], ["--value", "x=²"], ["--preallocate", "nan"], ["--preallocate", "inf"], ["y"]])
def test_numbers_that_make_no_sense(paste: str, asked: list[str]) -> None:
    """A value is for a scalar, and a part of the device is a number; usage errors all."""
    done = theanodiag("graph", paste, "--gpu", "4GiB", *asked)
    assert (done.returncode, "help:" in done.stderr or "cannot have the shape" in done.stderr) == (ExitCode.USAGE, True)


def test_an_unknown_name_is_answered_with_the_known_ones(paste: str) -> None:
    """So that the user sees what there is."""
    assert "its inputs are: W, x" in theanodiag("graph", paste, "--shape", "y=1").stderr


def test_a_text_without_a_graph(tmp_path: Path) -> None:
    """Not readable, and how it would be."""
    path = tmp_path / "none.txt"
    path.write_text("nothing here\n", encoding="utf-8")
    done = theanodiag("graph", str(path))
    assert done.returncode == ExitCode.UNREADABLE
    assert "help:" in done.stderr


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """It is named."""
    with pytest.raises(UnreadableError, match="no such file"):
        text_of(str(tmp_path / "missing.txt"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_how_windows_writes_a_text(encoding: str, tmp_path: Path) -> None:
    """With a mark at its beginning, in two bytes a character, with its own ends of lines."""
    path = tmp_path / "paste.txt"
    path.write_bytes(TEXT.replace("\n", "\r\n").encode(encoding))
    assert text_of(str(path)) == TEXT


def test_bytes_that_are_no_text() -> None:
    """A program is no printed graph, whatever looks like one in it."""
    done = theanodiag("graph", sys.executable)
    assert done.returncode == ExitCode.UNREADABLE
    assert "this is not text" in done.stderr
    assert "help:" in done.stderr


def test_options_are_read() -> None:
    """Shapes by name, sizes with units."""
    assert GraphRequest("-", shapes=("x=2,3", "n=")).shapes_by_name == {"x": (2, 3), "n": ()}
    assert overhead_bytes("1KiB") == 1 << 10
    with pytest.raises(UsageError):
        overhead_bytes("much")


def test_the_covered_ops_are_listed() -> None:
    """One class name a line."""
    names = theanodiag("rules", "--shapes").stdout.split()
    assert json.loads(theanodiag("rules", "--shapes", "--format", "json").stdout)["ops"] == names
    assert {"Elemwise", "Scan", "DnnConv"} <= set(names)
    assert names == sorted(names)


LAYER = "Dot22 [id A] ''   0\n |x [id B]\n |W [id C]\n"


def test_types_are_assumed_from_floatx(tmp_path: Path) -> None:
    """A paste without types has a figure; and the report says on what it rests."""
    path = tmp_path / "paste.txt"
    path.write_text(LAYER, encoding="utf-8")
    without = theanodiag("graph", str(path), *SHAPES)
    assert "at least 0 B" in without.stdout
    command = f"theanodiag graph {shlex.quote(str(path))} --shape x=128,784 --shape W=784,10 --floatX float32"
    assert "".join(command.split()) in "".join(without.stdout.split())  # a long path is broken where the line ends
    done = theanodiag("graph", str(path), *SHAPES, "--floatX", "float32", "--dtype", "x=float64")
    assert done.returncode == ExitCode.CLEAN, done.stderr
    assert f"the function needs {format_bytes(8 * 128 * 784 + 4 * 784 * 10 + 8 * 128 * 10)} of host memory" in done.stdout
    said = " ".join(done.stdout.split())
    assert "types of 3 Variables: not printed; assumed from --floatX float32 --dtype x=float64" in said
    assert "(assumed: types that the text does not print)" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--dtype", "x=int8"], "give floatX (--floatX float32)"),
        (["--floatX", "single"], "floatX cannot be 'single'"),
        (["--floatX", "float32", "--dtype", "x=long"], "help: write NAME=DTYPE, such as y=int32"),
        (["--floatX", "float32", "--dtype", "x"], "this is not a dtype of an input"),
        (["--floatX", "float32", "--dtype", "z=int8"], "the graph has no input 'z'"),
    ],
)
def test_dtypes_that_mean_nothing_are_refused(tmp_path: Path, options: list[str], message: str) -> None:
    """As wrong usage."""
    path = tmp_path / "paste.txt"
    path.write_text(LAYER, encoding="utf-8")
    done = theanodiag("graph", str(path), *options)
    assert done.returncode == ExitCode.USAGE
    assert message in done.stderr
