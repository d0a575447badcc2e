"""Components of mixtures, medians, rows of a forest plot: what scripts take from inside of PyMC3."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import interpreters
from tests.compat.pymc3.test_models import over_pymc

EXPECTED = {
    "components": [2, [5, 2], [5, 2]],
    "of pairs": True,
    "of numbers": True,
    "medians": [pytest.approx(3.0), pytest.approx(1.0)],
    "bounded": pytest.approx([-3.130052, -2.51879015, -2.97884155]),  # of PyMC3 3.11.5
    "none": [False],
    "rows": ["p", "q", "r"],
    "summed": [[2, 1], [3], [1, 1], [2], [3]],
    "products": [[5, 1], [4], [2, 3, 2, 3], [2, 3, 2, 3], [3]],
    "words": ["r"],
    "bracket": [3, 2],
    "panels": True,
    "filled": 1,
    "warnings": [True, ["parts", "scale_log__"], True, False, False, "Serious convergence issues during sampling."],
    "slashes": [["odds/p", "a / b"], ["log(a / b)"], 8],
    "beside": ["bound", "draw_values", 1.7918],
    "style": ["blue", 3.0, "r", 0.2],
}


@pytest.mark.parametrize("name", interpreters.first(("pymc",), ("pymc", "pymc5")))
def test_inner_names(name: str) -> None:
    """As in PyMC3 3.11; a name of a variable may have a bracket."""
    assert over_pymc(Path(__file__).parent / "inner_names.py", name) == EXPECTED
