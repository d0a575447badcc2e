"""Convolutions and poolings with any options: values, gradients and gradients of gradients are those of Theano 1.0.5."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import numpy
import pytest

from tests import interpreters

from .conftest import COMPAT
from .drawn import FAMILIES

HERE = Path(__file__).resolve().parent
SEEDS = int(os.environ.get("THEANODIAG_DRAWN", "1"))
"""How many cases of each family are drawn; more where someone asks for them."""
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
"""The largest difference, relative to the largest element."""


def evaluate(name: str, folder: str, mode: str, out: Path, cases: list[str]) -> dict[str, numpy.ndarray]:
    """What the cases give in one interpreter."""
    flags = {"THEANO_FLAGS": "floatX=float64", "PYTENSOR_FLAGS": "floatX=float64"}
    arguments = (str(HERE / "drawn.py"), folder, mode, str(out), *cases)
    done = interpreters.python(name, *arguments, env=flags, timeout=300 + 20 * len(cases))
    assert done.returncode == 0, done.stderr
    with numpy.load(out) as results:
        return {key: results[key] for key in results.files}


def cases_of(families: Iterable[str]) -> list[str]:
    """The cases that are drawn."""
    return [f"{family}:{dtype}:{seed}" for family in families for seed in range(SEEDS) for dtype in TOLERANCE]


@pytest.fixture(scope="module")
def theanos(tmp_path_factory: pytest.TempPathFactory) -> dict[str, numpy.ndarray]:
    """What Theano gives for all cases."""
    return evaluate("theano", "-", "unfused", tmp_path_factory.mktemp("drawn") / "theano.npz", cases_of(FAMILIES))


@pytest.mark.parametrize(("name", "mode"), [(interpreters.THIS_WEEKS, "FAST_COMPILE"), ("jax", "JAX")])
def test_results_are_theanos(name: str, mode: str, theanos: dict[str, numpy.ndarray], tmp_path: Path) -> None:
    """Each drawn case has Theano's value and gradients."""
    interpreters.find(name)
    found = evaluate(name, str(COMPAT), mode, tmp_path / "found.npz", cases_of(FAMILIES))
    wanted = theanos
    assert sorted(found) == sorted(wanted)
    for case, value in wanted.items():
        dtype = case.split(":")[1]
        assert found[case].shape == value.shape, case
        assert str(found[case].dtype) == dtype, case  # Theano pads patches with floatX, whatever the dtype of the images
        scale = max(1e-30, float(numpy.abs(value).max(initial=0)))
        assert float(numpy.abs(found[case] - value).max(initial=0)) <= TOLERANCE[dtype] * scale, case
