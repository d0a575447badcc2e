"""Draws of a script's own distributions and of bounded ones, plots that ArviZ 1 lacks, pickled models: over PyMC 5 and 6."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import interpreters
from tests.compat.pymc3.test_models import answers

EXPECTED = {
    "predicted": {"seen": [6, 4], "own": [6, 3], "dens": [6, 2]},
    "of each draw": [True, True],
    "some": [["own"], [2, 3, 3]],
    "values": [[], [5], [2]],
    "fixed": [[], 4.0],
    "generated": [[2, 2, 2], [3, 3, 3]],
    "counted": [2, 3, 4],
    "pickled": [True, True],
    "of the copy": [6, 4],
    "within": [True, True, [2, 3, 4], True, [60, 3]],
    "as wide": True,
    "energies": ["energies", True],
    "plots": ["both", "dot", "ecdf", "elpd", "p", "separation", "t", "ts", "u"],
}
LATER = {"steps": [[1, 2, 2, 3], [0.25, 0.5, 0.75, 1]], "title": "y bpv=0.25"}
"""What is drawn without ArviZ 1's help."""


@pytest.mark.parametrize("name", interpreters.first(("pymc",), ("pymc", "pymc5")))
def test_what_a_script_draws_itself(name: str) -> None:
    """Its `random` methods predict, bounds hold for draws of the prior, models are pickled with their traces."""
    env = {"PYTHONPATH": str(interpreters.ROOT), "MPLBACKEND": "Agg", "PYTENSOR_FLAGS": "cxx="}
    done = interpreters.python(name, str(Path(__file__).parent / "own_draws.py"), env=env, timeout=1500)
    assert answers(done.stdout, done.stderr) == {**EXPECTED, **(LATER if name == "pymc" else {})}
