"""Real runs beside the prediction, on the devices that tests can have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interpreters import ROOT, THOROUGH, listed
from tests.memory.stand.catalogue import BATTERIES, SMALL
from tests.memory.stand.run import MODELS

from .running import SCRIPTS, Told, confirm

EXAMPLES = listed(ROOT / "examples", "*.py")


BY_NUMBERS = ("choices", "life", "scans")
"""Which branch is taken, or when a loop ends, depends on numbers there: a figure may be too high, never too low."""


def exact(told: Told) -> None:
    """No byte of difference in any figure of any call, nor at any node."""
    assert told.errors()
    assert set(told.errors()) == {0}
    nodes = [f["nodes"] for f in told.confirmation["functions"]]
    assert nodes == [{"compared": n["compared"], "equal": n["compared"], "first_parting": None} for n in nodes]
    assert all(v["error_bytes"] in (0, None) for v in told.confirmation["process"])
    assert told.confirmation["notes"] == []


@THOROUGH
def test_virtual(tmp_path: Path) -> None:
    """Two runs, one with and one without marks at the nodes, and two more for the least device: it fails one byte below the need."""
    told = confirm(tmp_path, "gpu", ROOT / "examples" / "mlp_sgd.py", "virtual", "--gpu", "1GiB", "--repeat", "2", "--tight")
    exact(told)
    assert [f["nodes"]["compared"] for f in told.confirmation["functions"]] == [27, 9]
    assert told.functions()["train"]["seconds"]["marked"] is False
    need = told.report["process"]["reserved_peak_bytes"]
    assert told.confirmation["tight"] == {"predicted_bytes": need, "runs_at_bytes": need, "fails_at_bytes": need - 1, "margin_bytes": 0}
    assert told.confirmation["device"]["computes"] is False


@THOROUGH
def test_a_small_script_on_opencl(tmp_path: Path) -> None:
    """A product, a sum and an update."""
    exact(confirm(tmp_path, "gpu", SCRIPTS / "ends.py", "opencl", args=("well",)))


@THOROUGH
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_example_on_opencl(path: Path, tmp_path: Path) -> None:
    """Real kernels on a CPU device."""
    exact(confirm(tmp_path, "gpu", path, "opencl"))


@THOROUGH
@pytest.mark.parametrize("flags", ["", "allow_gc=False", "gpuarray.preallocate=-1"])
@pytest.mark.parametrize("name", [model.script for model in (*SMALL, *BATTERIES)])
def test_whole_scripts_on_virtual(name: str, flags: str, tmp_path: Path) -> None:
    """Recurrent, convolutional, lazy and random ones, and those of many functions."""
    told = confirm(tmp_path, "gpu", MODELS / f"{name}.py", "virtual", "--gpu", "4GiB", flags=flags)
    if name not in BY_NUMBERS:
        exact(told)
    assert min(row for row in told.errors() if row is not None) == 0
    assert told.confirmation["notes"] == []


@THOROUGH
def test_a_script_for_the_second_gpu_on_virtual(tmp_path: Path) -> None:
    """The simulated driver has one, which takes its place."""
    exact(confirm(tmp_path, "gpu", SCRIPTS / "ends.py", "virtual", "--gpu", "1GiB", args=("well",), flags="device=cuda1"))


@THOROUGH
@pytest.mark.parametrize("name", ["memory_network", "masked_bigru", "highway_maxout", "vgg_bn"])
def test_scripts_of_other_kinds_on_virtual(name: str, tmp_path: Path) -> None:
    """Hops over a memory, clipped gradients in scans that go both ways, dropout behind a switch, batch normalisation with running means."""
    exact(confirm(tmp_path, "gpu", SCRIPTS / f"{name}.py", "virtual", "--gpu", "4GiB"))


@THOROUGH
def test_what_steps_of_a_loop_copy_to_the_device(tmp_path: Path) -> None:
    """The same bytes in each step, beside the arguments."""
    told = confirm(tmp_path, "gpu", SCRIPTS / "sorted_steps.py", "virtual", "--gpu", "1GiB")
    exact(told)
    rows = [v for call in told.functions()["last"]["calls"] for v in call if v["name"] == "host_to_device_bytes"]
    assert [(v["predicted"], v["measured"]) for v in rows] == [(n * 4 * (90 + 90) + 4 * 90, n * 4 * 180 + 360) for n in (3, 7)]


@THOROUGH
@pytest.mark.parametrize("interpreter", ["theano", "aesara", "theano27"])
def test_the_host(interpreter: str, tmp_path: Path) -> None:
    """The machine in C with its own thunks, on the Pythons of that time too."""
    exact(confirm(tmp_path, interpreter, ROOT / "examples" / "mlp_sgd.py", "cpu", "--gpu", "none"))


def test_default_values_on_the_host(tmp_path: Path) -> None:
    """They are there between the calls, and before the first."""
    exact(confirm(tmp_path, "theano", SCRIPTS / "default.py", "cpu", "--gpu", "none"))


@THOROUGH
def test_what_is_compiled_as_a_whole_is_unknown_inside(tmp_path: Path) -> None:
    """PyTensor 3 compiles a function with numba: what lives between its nodes is not seen, and said to be so."""
    told = confirm(tmp_path, "pytensor", ROOT / "examples" / "mlp_sgd.py", "cpu", "--gpu", "none")
    rows = {v["name"]: v for v in told.functions()["predict"]["calls"][0]}
    assert rows["live_before_bytes"]["error_bytes"] == rows["live_after_bytes"]["error_bytes"] == 0
    assert rows["live_peak_bytes"]["measured"] is None
    assert "linker=cvm" in rows["live_peak_bytes"]["unknown"]


@THOROUGH
def test_a_device_that_is_missing_is_named(tmp_path: Path) -> None:
    """The next best stands in for it."""
    told = confirm(tmp_path, "theano", SCRIPTS / "ends.py", "cuda", "--gpu", "none", args=("well",))
    exact(told)
    assert told.confirmation["device"]["kind"] == "cpu"
    assert [row["kind"] for row in told.confirmation["device"]["instead_of"]] == ["cuda"]
