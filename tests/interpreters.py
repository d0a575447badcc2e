"""The interpreters with real frameworks in them that the tests run beside us."""

from __future__ import annotations

import datetime
import os
import subprocess
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

NAMES = (
    "theano", "aesara", "pytensor", "pytensor_new", "gpu", "gpu_keras", "theano27", "keras", "pymc", "pymc5", "pymc4", "pymc3", "pymc_jax",
    "pymc_extras", "jax", "jax_old", "torch", "pytensor2", "pytensor_310", "pytensor_312", "suite", "suite_jax", "suite_aesara",
    "libraries", "xla", "onnx", "notebook",
)  # fmt: skip
THOROUGH = pytest.mark.skipif(not os.environ.get("THEANODIAG_THOROUGH"), reason="takes minutes: run `make test-all`")
"""For tests that compile large models for real, or go through the last case of a long list."""
ROOT = Path(__file__).resolve().parents[1]
PYTENSORS = ("pytensor", "pytensor_312", "pytensor_new")
"""What pip gives on Python 3.11, 3.12 and 3.13."""
THIS_WEEKS = PYTENSORS[datetime.date.today().toordinal() // 7 % len(PYTENSORS)]
"""The one over which nets are trained: each file of tests is run once a week (`tests/parts.py`)."""


def first(often: Container[str], names: Iterable[str]) -> list[Any]:
    """`names` for pytest to go through, those that are not in `often` only in `make test-all`: they repeat what another one shows."""
    return [name if name in often else pytest.param(name, marks=THOROUGH) for name in names]


def find(name: str) -> str:
    """Path of interpreter `name` (of `NAMES`), from THEANODIAG_PY_<NAME>; skips the test where it is not set."""
    assert name in NAMES, name
    path = os.environ.get(f"THEANODIAG_PY_{name.upper()}")
    if not path:
        pytest.skip(f"needs the interpreter {name!r}: run `make test`, or set THEANODIAG_PY_{name.upper()}")
    return path


def corpus() -> Path:
    """The folder of real users' files, from THEANODIAG_CORPUS; skips the test where it is not set."""
    path = os.environ.get("THEANODIAG_CORPUS")
    if not path or not Path(path).is_dir():
        pytest.skip("needs a folder of real files: set THEANODIAG_CORPUS")
    return Path(path)


def listed(folder: Path, pattern: str) -> list[Path]:
    """The files of a folder, sorted. There must be one: a test that goes through none of them would pass whatever is wrong."""
    found = sorted(folder.glob(pattern))
    assert found, f"no {pattern} in {folder}"
    return found


def python(name: str, *args: str, env: Mapping[str, str] | None = None, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """Runs interpreter `name` with `args` and the extra variables `env`; output is captured as text."""
    command = [find(name), *args]
    return subprocess.run(command, env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=timeout, check=False)
