"""PyMC3 over Theano-PyMC and PyMC 4 over Aesara: `sample` is caught before it samples, with what their conversion computes unasked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from theanodiag.samplers.model import OWN_CODE, DrawArray
from theanodiag.samplers.plans import plans
from theanodiag.samplers.simulate import profile

from .test_pymc import check
from .test_pymc_chains import CALL, stage

MODEL = """
import numpy as np
import {} as pm

with pm.Model() as model:
    a = pm.Normal("a", 0, 1, shape=3)
    s = pm.HalfNormal("s", 1, shape=2)
    pm.Deterministic("mu", a.sum() * np.ones(50))
    pm.Normal("y", a[0], s[0], observed=np.zeros(7))
"""


@pytest.mark.parametrize(("environment", "name"), [("pymc3", "pymc3"), ("pymc4", "pymc")])
def test_a_call_is_caught_with_its_arguments(tmp_path: Path, environment: str, name: str) -> None:
    """Arguments, the arrays of a draw by their kinds, a log-likelihood that nobody asked for; the script gets draws that differ."""
    lines = (
        "    idata = pm.sample(4000, tune=70, chains=3, cores=2, return_inferencedata=True, progressbar=False)\n"
        "assert idata.posterior['mu'].shape == (3, 4000, 50), idata.posterior['mu'].shape\n"
        "assert idata.posterior['mu'].values.std() > 0\n"
    )
    report = check(tmp_path, environment, lines, MODEL.format(name))
    assert report.script.status == "finished", report.script.traceback
    (found,) = report.sampling
    call = found.profile.call
    assert call.major in (3, 4)
    assert (call.draws, call.tune, call.chains, call.cores, call.parallel, call.checks) == (4000, 70, 3, 2, True, True)
    assert {(v.name, v.kind, v.shape, v.sampled) for v in call.variables} == {
        ("a", "free", (3,), True), ("s_log__", "transformed", (2,), True), ("s", "free", (2,), False),
        ("mu", "deterministic", (50,), False),
    }  # fmt: skip
    assert [(v.name, v.shape) for v in call.log_likelihood] == [("y", (7,))]
    assert {"energy", "tree_size"} <= {s.name for s in call.statistics}
    assert [s.name for s in found.profile.stages] == ["sampling", "conversion", "log-likelihood", "convergence checks", "result", OWN_CODE]


def test_a_multitrace_without_checks_is_not_converted(tmp_path: Path) -> None:
    """The log-likelihood is computed for the result and the checks only."""
    lines = "    t = pm.sample(4e3, tune=70, chains=3, cores=1, return_inferencedata=False, compute_convergence_checks=False)\n"
    report = check(tmp_path, "pymc3", lines, MODEL.format("pymc3"))
    (found,) = report.sampling
    assert [s.name for s in found.profile.stages] == ["sampling", "result"]
    assert found.profile.call.log_likelihood == ()


def test_the_log_likelihood_of_a_chain_is_collected_and_stacked() -> None:
    """Not by a dict for each draw; the plan forbids it, and the one for fewer variables says `trace`."""
    density = (DrawArray("y", "log-likelihood", "float64", (500,)),)
    call = replace(CALL, version="3.11.5", log_likelihood=density, draws=400)
    made = stage(profile(call), "log-likelihood")
    assert made["result: log-likelihood"] == 3 * 400 * 4000
    assert made["log-likelihood of one chain, draw by draw and stacked"] == 400 * (2 * 4000 + 128)
    assert not any("dict" in what for what in made)
    changes = [p.change for p in plans(profile(call), {})]
    assert 'idata_kwargs={"log_likelihood": False}' in changes
    assert any(c.startswith("trace=[model[name] for name in [") for c in changes)
    assert not any(c.startswith("var_names") for c in changes)
