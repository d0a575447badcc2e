"""The frameworks that stand in for others, and a way to run a legacy program on each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import interpreters

HERE = Path(__file__).resolve().parent
COMPAT = HERE.parents[1] / "theanodiag" / "compat"
STAND_INS = ("aesara", "pytensor", "pytensor_new")
START = f"""
import importlib.util, sys, warnings
warnings.simplefilter("ignore")
spec = importlib.util.spec_from_file_location("compat_by_path", {str(COMPAT / "__init__.py")!r})
compat = importlib.util.module_from_spec(spec)
spec.loader.exec_module(compat)
done = compat.install()
"""
Run = Callable[[str], str]


@pytest.fixture(params=STAND_INS)
def stand_in(request: pytest.FixtureRequest) -> str:
    """Name of an interpreter in which Theano is not installed."""
    interpreters.find(request.param)
    return str(request.param)


@pytest.fixture
def legacy(stand_in: str) -> Run:
    """Runs a legacy program after `install()`; gives its output without the framework's warnings."""

    def run(program: str) -> str:
        done = interpreters.python(stand_in, "-c", START + program)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


def probe(name: str, folder: str) -> dict[str, tuple[str, int, object]]:
    """What the cases of probe.py give in one interpreter."""
    done = interpreters.python(name, str(HERE / "probe.py"), folder)
    assert done.returncode == 0, done.stderr
    found: dict[str, tuple[str, int, object]] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="session")
def theano_values() -> dict[str, tuple[str, int, object]]:
    """What Theano 1.0.5 itself gives."""
    return probe("theano", "-")
