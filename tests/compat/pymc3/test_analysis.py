"""ArviZ as scripts of PyMC3 use it, over ArviZ 0.23 and 1."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import interpreters
from tests.compat.pymc3.test_models import answers

EXPECTED = {
    "columns": ["mean", "sd", "hdi_3%", "hdi_97%", "ess_bulk", "r_hat"],
    "rows": ["x", "b[0]", "b[1]", "b[2]"],
    "mean": True,
    "interval": True,
    "same from pymc3": True,
    "89 %": ["hdi_5.5%", "hdi_94.5%"],
    "own": ["largest"],
    "largest": True,
    "of chains": True,
    "modes": [2, 2],
    "on a circle": True,
    "hpd": [3, 2],
    "hdi": ["b", "x"],
    "rhat": True,
    "rhat of arviz": True,
    "older": [["mean", "sd", "mc_error", "hpd_2.5", "hpd_97.5", "n_eff", "Rhat"], ["b__0", "b__1", "b__2", "x"]],
    "older interval": True,
    "columns of then": [["mean", "hpd_2.5", "Rhat", "n_eff", "mc_error"], True, True, True, False, "'none'"],
    "rows of then": [[True, True, True, False], True],
    "report": [200, 0, False, False],
    "of theano": [2, 3],
    "traceplot": [1, 2],
    "one": [True, True, [1], True],
    "number": "1.218",
    "minimum": "3",
    "indexed": [[3, 1], [2, 2], 2, 2.0],
    "without text": [[3, 3], ["a", "b", "c"], ["b", "c"], ["a", "b", "c"]],
    "kinds": ["p"],
    "plotted": 0.5,
    "separated": [1, 2],
    "name of 3.0": True,
    "gone": [2, 0.982, [1, 2], [[1, 2, 3], [["p", 1]]], [[4, 3], [9, 3]], 3],
    "approximated": [["scale", "scale_log__"], ["scale"], "Approximation.sample() has no argument vars"],
    "drawn": [True, True],
    "color": True,
    "second": 400.0,
    "named": True,
    "prior": [1, 5],
    "as a dataset": ["chain", "draw", "line"],
    "several": [["b", "x"], 0],
    "cumulative": [0.5, 0.8413],
    "start": True,
    "data": [3, 4],
    "stepped": [["free_interval__", "other"], ["kind"], ["holed_missing"]],
    "posterior": 3,
    "mixed": [["seen"], [9, 2]],
    "style": True,
    "quantiles": {"25": 25.0, "50": 50.0},
    "error": 0.6325,
    "geweke": [[0, 1], -4.7194],
    "advi": [["scale_log__"], 3, [5]],
    "means": {"pair": [2], "matrix": [3, 1]},
    "marginal": [400, [2], 1],
    "density": 0.25,
    "hessian": [[2.0]],
    "derivative": [-1.0],
    "matrix": [[2.0, 0.5], [0.5, 1.0]],
    "vector": [1, 2, 3, 4, 5],
    "broadcast": [[3, 3], [[[0, 1, 2], [3, 4, 5]]]],
    "from a posterior": [4, 2],
    "groups": [
        [
            "constant_data",
            "log_likelihood",
            "observed_data",
            "posterior",
            "posterior_predictive",
            "predictions",
            "prior",
            "prior_predictive",
        ],
        ["observed_data", "posterior_predictive"],
        ["constant_data", "posterior_predictive", "prior"],
    ],
    "result": [["log_likelihood", "observed_data", "posterior", "sample_stats"], [2, 3, 2], True],
    "predictions": [[1, 40, 3], [2, 20, 3]],
    "chains": [[4, 20], [2, 40]],
    "extracted": [{"sample": 7}, ["rate"]],
    "converted": [["posterior"], ["log_likelihood", "posterior"]],
    "r2": {"r2": 0.5, "r2_std": 0.5},
    "predictive": [True, True, True],
    "dataset": ["Dataset", "Dataset"],
    "walks": [[4, 3], [0, 0, 0, 0], [0, 0]],
    "transformed": "log",
    "elsewhere": -0.7258,
    "started": [5, 5, 5, 5],
    "singular": [[5, 60], True],
    "bijection": [{"scale_log__": [], "pair": [2]}, True, [6, 3]],
    "marginal log": 1,
    "sizes": [[5, 2, 3], [5, 3, 2, 3]],
    "predicted": [[2], [2]],
    "of an array": [["rate"], [], [2]],
    "written": [[0.1], [0.1], [0, 1], [[False], [True]]],
    "shared": True,
    "contours": 1,
    "compiled": [[2, 1], [[0, 0, 0], [0, 0.5, 1]]],
    "variables": ["10001", "01001", "00101", "00011", "10001", "00000", "00000"],
    "batch": 10.0,
    "truth": True,
    "compared": "Variables do not support boolean operations.",
    "row": [2, 4],
    "mode": [[1, 2], [1, 3], 1],
    "by name": [True, True],
    "criteria": [-2.0, -2.0, -2.0, -2.0, -2.0, -2.0, -2.0],
    "criterion": True,
    "spread": [2.0, True, "deviance"],
    "added": [["x", "twice", "pair[0]", "pair[1]"], [200, 2], ["twice"]],
    "kde_plot": True,
    "absent": True,
    "no draw for a shape": [2],
}


@pytest.mark.parametrize("name", interpreters.first(("pymc",), ("pymc", "pymc5")))
def test_a_trace_is_summarized_and_drawn_as_then(name: str) -> None:
    """Names, arguments, defaults and shapes of ArviZ 0.3 to 0.23; a style that is gone is told."""
    env = {"PYTHONPATH": str(interpreters.ROOT), "MPLBACKEND": "Agg", "PYTENSOR_FLAGS": "cxx="}
    done = interpreters.python(name, str(Path(__file__).parent / "analysis.py"), "arviz-darkgrid", "arviz-none", env=env, timeout=1500)
    assert answers(done.stdout, done.stderr) == EXPECTED
    assert "style.use('arviz-none') has no effect" in done.stderr


SEEDED = """
import numpy as np
from theanodiag.compat import pymc3 as pm
np.random.seed(5)
with pm.Model():
    pm.Normal("z")
    drawn = [pm.Normal.dist(0, 1).random(size=2), pm.sample_prior_predictive(2)["z"], pm.sample_prior_predictive(2)["z"], np.random.rand(1)]
for _ in range(2):
    drawn += [np.random.randn(1), pm.Normal.dist(0, 1).random(size=2)]
print([float(x) for x in np.concatenate(drawn)])
"""


@pytest.mark.parametrize("name", interpreters.first(("pymc",), ("pymc", "pymc5")))
def test_draws_follow_numpys_seed(name: str) -> None:
    """As in PyMC3: the same in each run, without the same numbers twice; NumPy's own next number is the first after its seed."""
    env = {"PYTHONPATH": str(interpreters.ROOT), "PYTENSOR_FLAGS": "cxx="}
    once, twice = (interpreters.python(name, "-c", SEEDED, env=env, timeout=1500).stdout for _ in range(2))
    assert once == twice
    numbers = json.loads(once)
    assert len(set(numbers)) == 13
    assert numbers[6] == pytest.approx(0.22199317108973948)
