"""An upper bound that exceeds the device proves nothing; what is exact of it does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ..cli.run import theanodiag
from ..interpreters import find

SCRIPT = """
import numpy as np, theano, theano.tensor as T
W = theano.shared(np.zeros((2000, 2000), "float32"), name="W")
x = T.fmatrix("x")
f = theano.function([x], T.tanh(T.dot(T.exp(T.dot(x, W)), W)).sum(), name="f")
f(np.zeros((2000, 2000), "float32"))
"""
"""W and x are 30.5 MiB of the 114.4 MiB that the bound says; XLA's pool is three quarters of the device."""
PYTENSORS = ("pytensor", "pytensor_new")


def checked(folder: Path, interpreter: str, gpu: str, *more: str) -> tuple[int, str]:
    """The exit code and the output."""
    (folder / "model.py").write_text(SCRIPT, encoding="utf-8")
    command = ["check", "model.py", "--python", find(interpreter), "--gpu", gpu, "--device-overhead", "0", *more]
    done = theanodiag(*command, cwd=str(folder), env={"COLUMNS": "200"})
    return done.returncode, done.stdout


def document(folder: Path, interpreter: str, gpu: str) -> dict[str, Any]:
    """The same as JSON."""
    found: dict[str, Any] = json.loads(checked(folder, interpreter, gpu, "--format", "json")[1])
    return found


@pytest.mark.parametrize("interpreter", PYTENSORS)
def test_more_than_there_is_by_a_bound(tmp_path: Path, interpreter: str) -> None:
    """May not fit: exit code 0, a warning, no certainty for a program either."""
    code, text = checked(tmp_path, interpreter, "100MiB")
    assert code == 0
    assert "may not fit on 100MiB: needs at most 114.4 MiB of 76.0 MiB; this is an upper bound" in text
    assert "TD301 warning: f may not fit on 100MiB: the script needs at most 114.4 MiB" in text
    assert "DOES NOT FIT" not in text
    assert checked(tmp_path, interpreter, "100MiB", "--fail-on", "warning")[0] == 1
    found = document(tmp_path, interpreter, "100MiB")
    assert found["process"]["fits"] is None
    assert found["functions"][0]["fits"] is None


@pytest.mark.parametrize("interpreter", PYTENSORS)
def test_more_than_there_is_for_sure(tmp_path: Path, interpreter: str) -> None:
    """The arguments and the shared variable alone are more than the pool."""
    code, text = checked(tmp_path, interpreter, "30MiB")
    assert code == 53
    assert "DOES NOT FIT on 30MiB: needs 30.5 MiB to 114.4 MiB of 24.0 MiB" in text
    assert "TD301 error" in text
    found = document(tmp_path, interpreter, "30MiB")
    assert found["process"]["fits"] is False
    assert found["functions"][0]["fits"] is False


@pytest.mark.parametrize("interpreter", PYTENSORS)
def test_a_bound_that_is_less_than_there_is(tmp_path: Path, interpreter: str) -> None:
    """Fits, and the line says what the figure is."""
    code, text = checked(tmp_path, interpreter, "400MiB")
    assert code == 0
    assert "fits on 400MiB: needs at most 114.4 MiB of 300.0 MiB" in text
