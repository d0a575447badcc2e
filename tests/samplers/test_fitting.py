"""Fits, what is drawn from them, and optima: sums by hand, and calls of real PyMC that iterate nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.report.conftest import render
from theanodiag.samplers.model import DrawArray, SamplingCall
from theanodiag.samplers.simulate import BLAS, INVERSE, profile

from ..schemas import flaws
from .test_pymc import VERSIONS, check
from .test_pymc_chains import stage


def test_a_fit_keeps_its_losses_and_what_is_tracked() -> None:
    """Each for all iterations; losses twice while they are joined with earlier ones."""
    held = (DrawArray("mu", "fitted", "float64", (50,)), DrawArray("accumulator", "optimizer", "float64", (50, 10)))
    tracked = (DrawArray("mean", "tracked", "float64", (50,)),)
    found = profile(SamplingCall(0, "fit", "advi", "5.28.5", 1000, 0, 1, variables=tracked, held=held, scored=True), {"step": 777})
    fitting = stage(found, "fitting")
    assert (fitting["state of the optimizer"], fitting["losses"], fitting["result: tracked values"]) == (4000, 8000, 400_000)
    assert fitting["function: step"] == 777
    assert stage(found, "joining losses")["result: losses"] == 8000
    assert "function: step" not in stage(found, "result")


def test_draws_of_an_approximation_are_there_three_times() -> None:
    """What the function gave, the trace, and the copy."""
    a = DrawArray("a", "free", "float64", (3,))
    call = SamplingCall(0, "Approximation.sample", "meanfield", "5.28.5", 100, 0, 1, variables=(a,), made=(a,))
    found = stage(profile(call), "conversion")
    assert found["draws of the approximation"] == found["trace: free variables"] == found["result: draws"] == 100 * 24


def test_what_a_full_rank_draw_frees_stays_beside_the_trace() -> None:
    """The function's arrays less its result and those into whose place the trace goes, and what BLAS packs into."""
    a = DrawArray("a", "free", "float64", (30,))
    call = SamplingCall(0, "Approximation.sample", "fullrank", "6.4.0", 1000, 0, 1, variables=(a,), made=(a,))
    once = 1000 * 240
    found = stage(profile(call, {"drawing": 2 * once + 7200}), "conversion")
    assert (found["memory freed by the function but kept by the C library"], found["work space of BLAS"]) == (7200, BLAS)
    mean = stage(profile(replace(call, sampler="meanfield"), {"drawing": 2 * once}), "conversion")
    assert not any("C library" in what or "BLAS" in what for what in mean)


def test_svgd_copies_its_particles() -> None:
    """Beside what its step holds by the graph."""
    held = (DrawArray("histogram", "fitted", "float64", (40, 50)), DrawArray("accumulator", "optimizer", "float64", (40, 50, 10)))
    found = stage(profile(SamplingCall(0, "fit", "svgd", "6.4.0", 10, 0, 1, held=held), {"step": 777}), "fitting")
    assert found["copies of the particles"] == 2 * 40 * 50 * 8
    assert "copies of the particles" not in stage(profile(SamplingCall(0, "fit", "advi", "6.4.0", 10, 0, 1, held=held)), "fitting")


def test_an_optimizer_with_matrices_needs_them() -> None:
    """BFGS by the square, L-BFGS-B by the length; the inverse Hessian where it is asked for."""

    def found(method: str, n: int) -> int:
        call = SamplingCall(0, "find_MAP", method, "6.4.0", 1, 0, 1, held=(DrawArray("x", "optimized", "float64", (n,)),))
        return stage(profile(call), "optimizing")[f"working arrays of {method}"]

    assert found("BFGS", 2000) > 3.5 * found("BFGS", 1000) > 40 * 8 * 1000
    assert found("L-BFGS-B", 2000) == 2 * found("L-BFGS-B", 1000)
    assert found("basinhopping of BFGS", 100) == found("BFGS", 100)
    inverse = DrawArray("inverse Hessian", "inverse Hessian", "float64", (10, 10))
    asked = profile(SamplingCall(0, "find_MAP", "BFGS", "6.4.0", 1, 0, 1, held=(inverse,)))
    assert stage(asked, "inverse Hessian")["matrices"] == INVERSE * 800


LINES = """
    approx = pm.fit(3000, progressbar=False)
    drawn = approx.sample(700)
    pm.fit(50, method="fullrank_advi", progressbar=False)
    particles = pm.fit(40, method="svgd", inf_kwargs={"n_particles": 30}, progressbar=False)
    top = pm.find_MAP(progressbar=False)
    inference = pm.ADVI()
    inference.fit(20, progressbar=False)
    inference.refine(70, progressbar=False)
assert approx.hist.shape == (3000,)
assert inference.hist.shape == (90,)
held = drawn.posterior.sizes["draw"]  # 700, or 200 where the machine is too busy to try twice what follows
assert held in (200, 700)
assert drawn.posterior["mu"].shape == (1, held, 50)
assert top["a"].shape == (3,)
"""


@pytest.mark.parametrize("environment", VERSIONS)
def test_calls_are_caught_and_iterate_nothing(tmp_path: Path, environment: str) -> None:
    """The script gets results of the right shape; each call is in the report with what it fits and what its optimizer keeps."""
    report = check(tmp_path, environment, LINES)
    assert report.script.status == "finished", report.script.traceback
    calls = [c.profile.call for c in report.sampling]
    assert [(c.kind, c.sampler, c.draws) for c in calls] == [
        ("fit", "advi", 3000), ("Approximation.sample", "meanfield", 700), ("fit", "fullrankadvi", 50), ("fit", "svgd", 40),
        ("find_MAP", "L-BFGS-B", 1), ("fit", "advi", 20), ("fit", "advi", 70),
    ]  # fmt: skip
    advi, drawn, full, svgd, top, first, refined = calls
    sizes = [sorted(v.shape for v in c.held if v.kind == "fitted") for c in (advi, full, svgd)]
    assert sizes == [[(4,), (4,)], [(4,), (10,)], [(30, 4)]]
    assert sorted(v.shape for v in advi.held if v.kind == "optimizer") == [(4, 10), (4, 10)]
    assert (advi.scored, svgd.scored) == (True, False)
    assert {v.shape for v in drawn.made} == {(3,), ()}
    assert ("mu", (50,)) in [(v.name, v.shape) for v in drawn.variables]
    assert [v.shape for v in top.held] == [(4,)]
    assert {v.name for v in top.made} == {"a", "s", "s_log__", "mu"}
    assert first.functions["step"] == refined.functions["step"] != ()
    assert all(c.site is not None for c in calls)
    assert [c.site.line for c in calls if c.site] == [11, 12, 13, 14, 15, 17, 18]
    assert flaws(json.loads(report.to_json())) == []
    assert "pymc.fit, advi at" in render(report)


def test_what_is_tracked_is_evaluated_once(tmp_path: Path) -> None:
    """The script gets as many entries as iterations."""
    lines = """
    from pymc.variational.callbacks import Tracker
    tracker = Tracker(mean=lambda approx, losses, i: approx.params[0].get_value())
    pm.fit(900, callbacks=[tracker], progressbar=False)
assert len(tracker["mean"]) == 900
"""
    report = check(tmp_path, "pymc", lines)
    assert report.script.status == "finished", report.script.traceback
    (found,) = report.sampling
    assert [(v.name, v.shape) for v in found.profile.call.variables] == [("mean", (4,))]
    assert stage(found.profile, "result")["result: tracked values"] == 900 * 32


def test_a_fit_within_sample_is_a_part_of_it(tmp_path: Path) -> None:
    """`init="advi"` iterates nothing, and only `sample` is told."""
    report = check(tmp_path, "pymc", "    pm.sample(200, tune=10, chains=2, cores=1, init='advi+adapt_diag', progressbar=False)\n")
    assert report.script.status == "finished", report.script.traceback
    assert [c.profile.call.kind for c in report.sampling] == ["sample"]


def test_the_inverse_hessian_is_counted_not_made(tmp_path: Path) -> None:
    """PyMC 6 makes it where `compute_hessian` asks for it."""
    lines = "    found = pm.find_MAP(method='BFGS', compute_hessian=True, return_inferencedata=True, jitter=False, progressbar=False)\n"
    report = check(tmp_path, "pymc", lines + "assert found.fit.covariance_matrix.shape == (4, 4)\n")
    assert report.script.status == "finished", report.script.traceback
    call = report.sampling[0].profile.call
    assert [(v.kind, v.shape) for v in call.held] == [("optimized", (4,)), ("inverse Hessian", (4, 4))]
