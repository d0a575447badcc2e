"""What is computed for each draw without sampling: sums by hand, and calls of real PyMC."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from theanodiag.samplers.model import DrawArray, SamplingCall
from theanodiag.samplers.simulate import ARRAY, profile

from ..schemas import flaws
from .test_pymc import VERSIONS, check
from .test_pymc_chains import stage

MADE = DrawArray("y", "posterior_predictive", "int64", (30,))


def test_prior_draws_are_held_twice_while_they_are_stacked() -> None:
    """Each draw's own arrays, and the stack."""
    found = profile(SamplingCall(0, "sample_prior_predictive", "pymc", "6.4.0", 500, 0, 1, made=(MADE,)))
    assert stage(found, "stacking")["an array for each draw"] == 500 * (240 + ARRAY)
    assert stage(found, "stacking")["result: draws"] == 500 * 240


def test_the_posterior_is_gone_through_by_a_list() -> None:
    """A dict for each draw with a view of each variable."""
    free = DrawArray("a", "free", "float64", (2,))
    found = profile(SamplingCall(0, "sample_posterior_predictive", "pymc", "6.4.0", 500, 0, 4, variables=(free,), made=(MADE,)))
    drawing = stage(found, "drawing")
    assert drawing["result: draws"] == 2000 * 240
    assert drawing["a dict for each draw"] == 2000 * (8 + 184 + 96 + 16)


LINES = """
    prior = pm.sample_prior_predictive(draws=700)
    idata = pm.sample(5000, tune=10, chains=3, cores=1)
    pm.compute_log_likelihood(idata)
    pm.sample_posterior_predictive(idata, extend_inferencedata=True)
assert prior.prior['mu'].shape == (1, 700, 50)
held = idata.posterior.sizes['draw']  # as in the first result, with which what follows was tried; 200 where the machine is too busy
assert held in (200, 700)
assert idata.log_likelihood['y'].shape == idata.posterior_predictive['y'].shape == (3, held, 7)
"""


@pytest.mark.parametrize("environment", VERSIONS)
def test_calls_are_caught_and_asked_for_one_draw(tmp_path: Path, environment: str) -> None:
    """The script gets results of the right shape, and goes on; each call is in the report, in order."""
    report = check(tmp_path, environment, LINES)
    assert report.script.status == "finished", report.script.traceback
    prior, sampled, likelihood, posterior = (c.profile.call for c in report.sampling)
    assert [c.kind for c in (prior, sampled, likelihood, posterior)] == [
        "sample_prior_predictive", "sample", "compute_log_likelihood", "sample_posterior_predictive",
    ]  # fmt: skip
    assert (prior.chains, prior.draws) == (1, 700)
    assert {(v.name, v.kind, v.shape) for v in prior.made} == {
        ("a", "prior", (3,)), ("s", "prior", ()), ("mu", "prior", (50,)), ("y", "prior_predictive", (7,)),
    }  # fmt: skip
    assert (posterior.chains, posterior.draws) == (likelihood.chains, likelihood.draws) == (3, 5000)
    assert [(v.name, v.kind, v.shape) for v in likelihood.made] == [("y", "log-likelihood", (7,))]
    assert ("y", "posterior_predictive", (7,)) in [(v.name, v.kind, v.shape) for v in posterior.made]
    assert {v.name for v in posterior.variables} == {"a", "s", "mu"}
    sizes = [c.profile.kept_bytes for c in report.sampling]
    assert report.sampling[-1].profile.before_bytes == sum(sizes[:-1])
    held = [c.profile.call.resident_bytes or 0 for c in report.sampling]
    assert max(held) - held[0] < 8 << 20  # what PyMC prepares within a call is no data of the script
    assert flaws(json.loads(report.to_json())) == []


def test_a_result_that_would_be_large_is_cut_for_the_script_and_counted_whole(tmp_path: Path) -> None:
    """A copy of it would fill the host; the report says so, and what goes through it counts all draws, thinned as the script thins."""
    lines = """
    idata = pm.sample(10**7, tune=10, chains=2, cores=1)
    pm.sample_posterior_predictive(idata.isel(draw=slice(None, None, 10)))
assert idata.posterior['mu'].nbytes < 256 << 20
"""
    report = check(tmp_path, "pymc", lines)
    assert report.script.status == "finished", report.script.traceback
    resident = [c.profile.call.resident_bytes or 0 for c in report.sampling]
    assert abs(resident[1] - resident[0]) < 32 << 20  # the process, without the script's draws: those larger than 64 MiB are seen as many
    assert [s.what for s in report.skipped if "of 10000000" in s.reason] == ["draws of each chain"]
    predicted = report.sampling[1].profile.call.draws
    assert predicted == pytest.approx(10**6, rel=1e-4)
