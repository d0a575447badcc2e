"""Models of PyMC3 by `theanodiag run` over PyMC 5 and 6, beside PyMC3 3.11.5 itself."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import interpreters

HERE = Path(__file__).parent
OTHER_CONSTANTS = {
    "pm.LKJCholeskyCov('x', n=2, eta=2., sd_dist=pm.HalfCauchy.dist(2.5))": "PyMC has another normalising constant",
    "pm.LKJCholeskyCov('x', n=3, eta=2., sd_dist=pm.Exponential.dist(1.), compute_corr=True)": "PyMC has another normalising constant",
}
"""Models whose log-density is PyMC3's but for a constant."""


@cache
def in_pymc3(script: Path) -> Any:
    """What PyMC3 itself answers."""
    done = interpreters.python("pymc3", str(script), timeout=3600)
    return answers(done.stdout, done.stderr)


def over_pymc(script: Path, name: str) -> Any:
    """What the script answers under `theanodiag run`."""
    done = run(script, name)
    return answers(done.stdout, done.stderr)


def run(script: Path, name: str) -> subprocess.CompletedProcess[str]:
    """`theanodiag run`, as a user types it."""
    command = [sys.executable, "-m", "theanodiag", "run", "--python", interpreters.find(name), str(script)]
    return subprocess.run(command, capture_output=True, text=True, timeout=3600, check=False)


def answers(out: str, err: str) -> Any:
    """The JSON that a script prints."""
    lines = [line for line in out.splitlines() if line.startswith("ANSWERS ")]
    assert lines, err[-3000:]
    return json.loads(lines[0][8:])


@pytest.mark.parametrize("name", interpreters.first(("pymc",), ("pymc", "pymc5")))
def test_densities_are_those_of_pymc3(name: str) -> None:
    """The log-density of each distribution of PyMC3, at three points of the space that is sampled."""
    interpreters.find("pymc3"), interpreters.find(name)
    here, there = over_pymc(HERE / "densities.py", name), in_pymc3(HERE / "densities.py")
    wrong = {}
    for model, theirs in there.items():
        assert isinstance(theirs, list), (model, theirs)
        ours = here[model]
        if not isinstance(ours, list):
            wrong[model] = ours
            continue
        apart = [a - b for a, b in zip(ours, theirs)]
        if model in OTHER_CONSTANTS:
            apart = [a - apart[0] for a in apart]
        if not all(abs(a) <= 1e-6 * max(1, abs(b)) for a, b in zip(apart, theirs)):
            wrong[model] = (ours, theirs)
    assert not wrong
    assert len(there) > 120


@pytest.mark.parametrize("name", interpreters.first(("pymc",), ("pymc", "pymc5")))
def test_linear_models_are_those_of_pymc3(name: str) -> None:
    """Priors, likelihoods and names of `pm.GLM` for each family; one prior for several coefficients is a variable for each."""
    interpreters.find("pymc3"), interpreters.find(name)
    here, there = over_pymc(HERE / "linear_models.py", name), in_pymc3(HERE / "linear_models.py")
    for model, (density, *names) in there.items():
        assert here[model][1:] == names, model
        assert here[model][0] == pytest.approx(density, rel=1e-6), model


@pytest.mark.parametrize("name", interpreters.first(("pymc",), ("pymc", "pymc5")))
@pytest.mark.parametrize("script", sorted(p.name for p in (HERE / "scripts").glob("*.py")))
def test_a_script_of_pymc3_has_the_same_answers(script: str, name: str) -> None:
    """Shapes and names equal, means within a third of a standard deviation."""
    interpreters.find("pymc3"), interpreters.find(name)
    shapes, means = over_pymc(HERE / "scripts" / script, name)
    their_shapes, their_means = in_pymc3(HERE / "scripts" / script)
    assert shapes == their_shapes
    for key, (mean, spread) in their_means.items():
        assert abs(means[key][0] - mean) < 0.34 * spread, (key, means[key], (mean, spread))


def test_run_says_that_pymc_stands_in(tmp_path: Path) -> None:
    """One line names both."""
    script = tmp_path / "version.py"
    script.write_text("import pymc3; print(pymc3.__version__)")
    done = run(script, "pymc")
    assert done.stdout.strip() == "3.11.5"
    assert "for PyMC3" in done.stderr


SEQUENTIAL = """
import numpy as np
import pymc3 as pm
import theano.tensor as tt

with pm.Model():
    pm.Potential("density", -tt.sum(tt.sqr(pm.Uniform("x", -2, 2, shape=2))))
    trace = pm.sample_smc(30, chains=1, cores=1, random_seed=1, progressbar=False)
print("ANSWERS", trace["x"].shape)
"""


def test_sequential_monte_carlo_runs_beside_theano(tmp_path: Path) -> None:
    """It copies compiled functions, whose copies return lists in Theano."""
    script = tmp_path / "sequential.py"
    script.write_text(SEQUENTIAL)
    done = run(script, "pymc")
    assert "ANSWERS (30, 2)" in done.stdout, done.stderr[-2000:]
