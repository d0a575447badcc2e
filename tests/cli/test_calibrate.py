"""`--calibrate`: an overhead is measured, kept, and used by every later prediction."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interpreters import find
from theanodiag.confirmation.calibration import path, stored
from theanodiag.units import MIB

from .run import theanodiag

PASTE = "Elemwise{tanh,no_inplace} [id A] <TensorType(float32, matrix)> ''   0\n |x [id B] <TensorType(float32, matrix)>\n"
ENTRY = '[devices."GRID K520"]\ncontext_bytes = 70000000\nblas_bytes = 5000000\nnote = "by hand"\n'


def environment(folder: Path) -> dict[str, str]:
    """A user with settings of their own."""
    return {"XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}


def test_the_file_is_where_settings_are_kept() -> None:
    """XDG_CONFIG_HOME, else ~/.config."""
    assert str(path({"XDG_CONFIG_HOME": "/c", "HOME": "/h"})) == "/c/theanodiag/devices.toml"
    assert str(path({"HOME": "/h"})) == "/h/.config/theanodiag/devices.toml"


def test_the_simulated_device_has_the_overhead_that_it_was_given(tmp_path: Path) -> None:
    """300 MiB are gone once its context is open, and its BLAS takes nothing; an entry that is there stays."""
    file = tmp_path / "theanodiag" / "devices.toml"
    file.parent.mkdir()
    file.write_text(ENTRY)
    done = theanodiag("doctor", "--calibrate", "virtual", "--python", find("gpu"), env=environment(tmp_path))
    assert done.returncode == 0, done.stderr
    found = stored(environment(tmp_path))
    assert (found["virtual device"].context_bytes, found["virtual device"].blas_bytes) == (300 * MIB, 0)
    assert found["virtual device"].cudnn_bytes is None
    assert file.read_text().startswith(ENTRY)


def test_later_predictions_use_it(tmp_path: Path) -> None:
    """With its origin."""
    (tmp_path / "theanodiag").mkdir()
    (tmp_path / "theanodiag" / "devices.toml").write_text(ENTRY)
    (tmp_path / "paste").write_text(PASTE)
    command = ("graph", str(tmp_path / "paste"), "--shape", "x=100,100", "--gpu", "k520", "--format", "json")
    reports = [json.loads(theanodiag(*command, env=environment(tmp_path / f)).stdout) for f in ("", "nowhere")]
    contexts = [report["target"]["device"]["context"] for report in reports]
    assert contexts == [{"bytes": 75000000, "origin": "measured"}, {"bytes": 90 * MIB, "origin": "default"}]


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("doctor", "--calibrate", "opencl"), 2, "the overhead of 'opencl' cannot be measured"),
        (("doctor", "--calibrate"), 3, "cuda0 was not measured"),
        (("check", "model.py", "--calibrate"), 2, "--calibrate is for a CUDA GPU"),
        (("check", "model.py", "--confirm", "cpu", "--calibrate"), 2, "--calibrate is for a CUDA GPU"),
    ],
)
def test_what_cannot_be_measured(tmp_path: Path, args: tuple[str, ...], code: int, said: str) -> None:
    """The reason, and nothing is written."""
    done = theanodiag(*args, env=environment(tmp_path))
    assert done.returncode == code
    assert said in done.stderr
    assert not (tmp_path / "theanodiag").exists()


def test_a_file_that_cannot_be_read_is_not_written_to(tmp_path: Path) -> None:
    """It may be the user's."""
    (tmp_path / "theanodiag").mkdir()
    file = tmp_path / "theanodiag" / "devices.toml"
    file.write_text("my notes\n")
    done = theanodiag("doctor", "--calibrate", "virtual", "--python", find("gpu"), env=environment(tmp_path))
    assert done.returncode == 3
    assert "devices.toml" in done.stderr
    assert file.read_text() == "my notes\n"
