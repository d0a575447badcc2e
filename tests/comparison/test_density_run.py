"""What `compare --density` does in the interpreter of a script: which functions it compiles, and what is left of a run that ends early."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests import interpreters
from theanodiag.agent.record.densities import DensityInstrument
from theanodiag.agent.record.density_points import fingerprint
from theanodiag.capture.model import Capture, InstrumentRequest
from theanodiag.capture.runner import run_script
from theanodiag.jobs.compare import RECORD

FUNCTIONS = """
import numpy as np
import pytensor, pytensor.tensor as pt

x = pt.dmatrix("x")
f = pytensor.function([x], [pt.exp(x) + 1, pt.dot(x, x.T).sum(axis=0), pt.zeros(x.shape[1])])
values = [value.tolist() for value in f(np.ones((3, 2)))]
"""
ENDS = """
import sys
import pymc as pm

class Ending(pm.Model):
    def initial_point(self, random_seed=None):
        sys.exit()

with pm.Model() as first:
    pm.Normal("x")
    pm.Potential("p", pm.math.exp(-first["x"]))
with Ending() as second:
    pm.Normal("y")
    pm.sample(1e3)
"""


def run(source: str, name: str, folder: Path) -> tuple[Capture, Any]:
    """The run of a script, and what it wrote of its models."""
    path, file = folder / "model.py", folder / "models.json"
    path.write_text(source, encoding="utf-8")
    options = {"file": str(file), "points": None, "count": 2, "seed": 1}
    request = InstrumentRequest(RECORD / "densities.py", options)
    capture = run_script(str(path), interpreters.find(name), (), calls="dry", timeout=300, stdout=2, instrument=request)
    return capture, json.loads(file.read_text(encoding="utf-8"))


def test_functions_of_the_script_compute_and_are_not_recorded(tmp_path: Path) -> None:
    """Data of a model may be computed by them; no report reads their graphs."""
    check = "assert values == [[[np.e + 1] * 2] * 3, [6.0] * 3, [0.0] * 2], values\n"
    capture, _ = run(FUNCTIONS + check, "pytensor_new", tmp_path)
    assert (capture.end.status, capture.script.functions) == ("finished", ())


def test_a_model_in_whose_computation_the_run_ends_is_no_difference(tmp_path: Path) -> None:
    """It has no figures, and a reason; the model before it has its own."""
    _, document = run(ENDS, "pymc", tmp_path)
    first, second = document["models"]
    assert (first["failed"], first["terms"]) == (None, ["x", "p"])
    assert (second["failed"], "terms" in second) == ("the run ended while it was computed", False)


INDEX = """
import numpy as np
import pymc as pm

with pm.Model():
    k = pm.DiscreteUniform("k", 0, 5, initval=4)
    pm.Poisson("y", pm.math.stack([1.0, 2.0, 3.0])[k], observed=3)
    pm.sample(5)
"""


def test_a_density_that_raises_is_told_from_one_that_is_infinite(tmp_path: Path) -> None:
    """Also in a model with neither gradients nor deterministic variables, which has nothing but terms."""
    _, document = run(INDEX, "pymc", tmp_path)
    points = document["models"][0]["points"]
    assert {(p["raised"], p["terms"]["k"] == -math.inf) for p in points} == {(True, True), (False, False)}


COUNTS = """
import numpy as np
import pymc3 as pm

with pm.Model() as counts:
    pm.Binomial("k", n=60, p=pm.Beta("p", 1, 1), observed=np.array([0.5333333, 0.6666667]) * 60)
    pm.Normal("y", 0, 1, observed=np.array([1.5, 2.5]))
"""


def test_counts_are_those_of_the_density(tmp_path: Path) -> None:
    """PyMC3 cuts 31.999998 to 31 and keeps the fraction beside it; other data stay as they are."""
    _, document = run(COUNTS, "pymc3", tmp_path)
    observed = document["models"][0]["observed"]
    for name, data in (("k", [31, 40]), ("y", [1.5, 2.5])):
        assert observed[name] == [[2], pytest.approx(fingerprint(np.array(data))[1], rel=1e-12)]


NARROW = """
import numpy as np
import pymc as pm

with pm.Model():
    x = pm.StudentT("x", nu=1e6, mu=0, sigma=1)
    y = pm.StudentT("y", nu=np.float64(1e6), mu=0, sigma=1)
"""


def test_what_pymc_computes_in_single_precision_is_recorded(tmp_path: Path) -> None:
    """Beside the term in double precision, which it misses; a parameter of float64 has no such error."""
    _, document = run(NARROW, "pymc", tmp_path)
    start = document["models"][0]["points"][0]
    errors = {name: abs(own - start["terms"][name]) for name, own in start["in_own_precision"].items()}
    assert errors["x"] > 0.01
    assert errors.get("y", 0.0) < 1e-6
    assert start["terms"]["x"] == pytest.approx(start["terms"]["y"], rel=1e-9)


IN_TURN = """
import pymc as pm

with pm.Model() as model:
    pm.Normal("a")
    pm.sample(5)
with pm.Model() as model:
    pm.Normal("b")
    pm.sample(5)
"""


def test_a_model_has_the_name_that_it_had_when_it_was_sampled(tmp_path: Path) -> None:
    """The variable may hold another model later."""
    _, document = run(IN_TURN, "pymc", tmp_path)
    assert [row["variable"] for row in document["models"]] == ["model", "model"]


SIMPLEX = """
import numpy as np
import pymc as pm

with pm.Model() as model:
    pm.Dirichlet("p", np.ones(3))
    pm.NUTS()
"""


def test_the_functions_of_a_step_method_are_not_rewritten_without_end(tmp_path: Path) -> None:
    """The transform of a Dirichlet is a Softmax, which PyTensor's rewrites would put into itself."""
    _, models = run(SIMPLEX, "pymc", tmp_path)
    assert models["failed"] == []
    assert [model["failed"] for model in models["models"]] == [None]


def test_samplers_leave_numpys_generator_as_it_was() -> None:
    """Data drawn after a sampler are those that would have been drawn before it."""
    package = SimpleNamespace(__name__="pymc", __version__="6.4.0", sample=np.random.rand)
    DensityInstrument(print, {"seed": 1}, dict)._samplers(package)  # type: ignore[arg-type]
    np.random.seed(1)
    once = package.sample()
    assert package.sample() == once == np.random.rand()
