"""`theanodiag doctor`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.interpreters import find

from .run import theanodiag

BROKEN = "raise ImportError('numpy.core.multiarray failed to import\\nmore lines')\n"


@pytest.fixture
def broken(tmp_path: Path) -> dict[str, str]:
    """An environment with a broken framework in it."""
    (tmp_path / "theano.py").write_text(BROKEN)
    return {"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"}


def test_a_broken_framework_is_a_line(broken: dict[str, str]) -> None:
    """No traceback, and the rest goes on."""
    env = {**broken, "PYTHONPATH": os.pathsep.join([*sys.path[1:], broken["PYTHONPATH"]])}
    done = theanodiag("doctor", "--only", "--python", sys.executable, "--python", "/nowhere/python", env=env)
    assert (done.returncode, "Traceback" in done.stdout + done.stderr) == (3, False)
    assert "theano does not import: ImportError: numpy.core.multiarray failed to import\n" in done.stdout
    assert "  /nowhere/python  it does not run: No such file or directory\n" in done.stdout
    assert "  cpu      no   no interpreter has Theano, Aesara or PyTensor\n" in done.stdout


def test_only_what_is_named() -> None:
    """Without a name it would examine nothing, and say that there is nothing."""
    done = theanodiag("doctor", "--only")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--only has no effect without --python" in done.stderr


def test_json_has_the_same() -> None:
    """With a schema."""
    done = theanodiag("doctor", "--only", "--python", sys.executable, "--format", "json")
    found = json.loads(done.stdout)
    assert found["schema"] == "theanodiag/doctor/v1"
    assert [i["path"] for i in found["interpreters"]] == [sys.executable]
    assert [a["kind"] for a in found["abilities"]] == ["cuda", "virtual", "opencl", "jax", "torch", "cpu"]
    assert [name for name, _ in found["legacy"]["rows"]] == ["libcuda.so", "libnvrtc.so", "libcublas.so"]


def test_the_real_pygpu() -> None:
    """Its OpenCL device, and what the simulated one needs; each with the command."""
    python = find("gpu")
    out = theanodiag("doctor", "--only", "--python", python).stdout
    assert "    pygpu 0.7.6\n" in out
    assert "  opencl   yes  opencl0:0: " in out
    assert f"do: theanodiag check MODEL.py --python {python} --confirm virtual\n" in out


def test_links_to_what_is_installed(tmp_path: Path) -> None:
    """A library that does not open is none."""
    folder = tmp_path / "cuda"
    folder.mkdir()
    (folder / "libnvrtc.so.12").write_text("not a library")
    env = {"LD_LIBRARY_PATH": str(folder), "CUDA_HOME": "", "CONDA_PREFIX": ""}
    done = theanodiag("doctor", "--only", "--python", sys.executable, "--links", str(tmp_path / "links"), env=env)
    assert "libnvrtc.so.12" not in done.stdout + done.stderr
    assert not (tmp_path / "links" / "libnvrtc.so").exists()
    assert done.returncode in (1, 3)
