"""What samplers outside of PyMC hold: sums by hand, and what real PyMC asks of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from theanodiag.findings import Finding
from theanodiag.ir import Unknown
from theanodiag.memory.profile import ProcessProfile
from theanodiag.rules import sampling
from theanodiag.rules.sampling import SampledCall, SamplingSubject
from theanodiag.samplers.model import DrawArray, DrawStatistic, ProgramFigures, SamplingCall
from theanodiag.samplers.plans import plans
from theanodiag.samplers.simulate import profile
from theanodiag.workflows.compose import with_jax_arrays

from .test_pymc import check
from .test_pymc_chains import stage

FIGURES = {"vmap": ProgramFigures(1000, 5000, 300, 200), "scan": ProgramFigures(1000, 5000, 10, 0)}
CALL = SamplingCall(
    0, "sample", "numpyro", "6.4.0", 50, 100, 2, chain_method="vectorized", checks=False, post_processing=FIGURES,
    variables=(
        DrawArray("s_log__", "transformed", "float64", (3,), sampled=True), DrawArray("s", "free", "float64", (3,)),
        DrawArray("mu", "deterministic", "float64", (1000,)),
    ),
    statistics=(DrawStatistic("lp", "float64", 8),),
)  # fmt: skip
NOTHING = {"vmap": ProgramFigures(0, 0, 0, 0)}
MOVED = 100 * 24


def test_jax_keeps_what_it_moves_and_then_makes_all_draws_at_once() -> None:
    """No tuning, no copy for ArviZ; the post-processing is XLA's word, less what lies in its arguments."""
    found = profile(CALL)
    assert [s.name for s in found.stages] == ["sampling", "post-processing", "result"]
    assert stage(found, "sampling")["draws on the unconstrained scale"] == MOVED
    made = stage(found, "post-processing")
    assert (made["result: draws"], made["XLA's temporaries"]) == (4800, 300)
    assert stage(found, "result")["result: draws"] == 100 * 8 * 1003


def test_scan_copies_what_it_transposes() -> None:
    """Both arguments and results once more."""
    made = stage(profile(replace(CALL, vectorize="scan")), "post-processing")
    assert (made["XLA's temporaries"], made["transposed arguments and results"]) == (10, MOVED + 5000)


def test_without_xla_the_post_processing_is_a_bound() -> None:
    """All results, and as much again while they are made."""
    made = stage(profile(replace(CALL, post_processing={})), "post-processing")
    assert made["result: draws"] == made["XLA's temporaries"] == 100 * 8 * 1003


def test_numpyro_stacks_chains_that_it_ran_one_by_one() -> None:
    """With fewer devices than chains, as on one GPU. All chains in one program are transposed, which takes as much: that is no plan."""
    nothing = {"vmap": ProgramFigures(0, 0, 0, 0)}
    call = replace(CALL, chain_method="parallel", sequential=True, draws=500_000, variables=CALL.variables[:2], post_processing=nothing)
    found = profile(call)
    assert stage(found, "sampling")["chains before they are stacked"] == 1_000_000 * 32
    together = profile(replace(call, chain_method="vectorized", sequential=False))
    assert stage(together, "sampling")["draws before they are transposed"] == 1_000_000 * 32
    assert not [p for p in plans(found, {}) if "chain_method" in p.change]


def test_draws_on_several_devices_are_copied_for_the_checks() -> None:
    """Those of the free variables, which are all that is checked; on one device numpy takes JAX's memory as it is."""
    call = replace(CALL, chain_method="parallel", checks=True, draws=200, devices=2)
    what = "result: draws of several devices as numpy's"
    found = profile(call)
    assert stage(found, "convergence checks")[what] == stage(found, "result")[what] == 400 * 24
    assert what not in stage(profile(replace(call, devices=1)), "result")
    assert what not in stage(profile(replace(call, draws=50)), "result")


def test_chains_on_devices_of_their_own_need_no_second_copy() -> None:
    """A plan where JAX has as many devices; each may take what the program of all chains takes."""
    programs = (ProgramFigures(0, 0, 1000, 0),)
    own = CALL.variables[:2]
    call = replace(CALL, sampler="blackjax", variables=own, draws=500_000, programs=programs, local_devices=100, post_processing=NOTHING)
    (plan,) = [p for p in plans(profile(call), {}) if p.change == 'nuts={"chain_method": "parallel"}']
    assert stage(plan.after, "sampling")["XLA's temporaries of the sampler"] == 2000
    assert not any("transposed" in what for what in stage(plan.after, "sampling"))
    assert not [p for p in plans(profile(replace(call, local_devices=1)), {}) if "chain_method" in p.change]
    older = [p.change for p in plans(profile(replace(call, version="5.28.5")), {})]
    assert 'nuts_sampler_kwargs={"chain_method": "parallel"}' in older


def test_vectorized_chains_leave_what_each_operation_was_compiled_to() -> None:
    """More than chains on devices of their own, whose first step is within their program."""
    parallel = stage(profile(replace(CALL, chain_method="parallel")), "sampling")["small objects"]
    assert stage(profile(CALL), "sampling")["small objects"] - parallel == 15 << 20
    assert stage(profile(replace(CALL, sampler="blackjax")), "sampling")["small objects"] - parallel == 12 << 20


def test_each_device_has_temporaries_of_its_own() -> None:
    """Chains that run at once are one program on as many devices; numpyro's statistics stay, and so does the data."""
    programs = (ProgramFigures(10, 20, 5000, 0), ProgramFigures(10, 20, 7000, 0))
    call = replace(CALL, chain_method="parallel", programs=programs, devices=2, constants=900, post_constants=400)
    made = stage(profile(call), "sampling")
    assert (made["XLA's temporaries of the sampler"], made["data in the log-density"]) == (14000, 900)
    after = stage(profile(call), "post-processing")
    assert (after["statistics that numpyro keeps"], after["data in the post-processing"]) == (800, 400)


def test_nutpie_copies_its_whole_store() -> None:
    """Tuning included, whatever is kept in the end; the store has what is moved and an index for each list, in float64."""
    call = replace(CALL, sampler="nutpie", variables=(*CALL.variables[:2], replace(CALL.variables[2], dtype="float32")))
    draw = 8 * 1006 + 8
    for asked in (call, replace(call, var_names=("mu", "s"))):
        found = profile(asked)
        made = stage(found, "conversion")
        assert made["copies of the store"] == 2 * 150 * draw
        assert made["nutpie's store"] == 2 * 150 * (draw + 8 * (3 + 11))
        assert stage(found, "result")["result: draws"] == 100 * 8 * 1003
    fewer = stage(profile(replace(call, var_names=("s",))), "conversion")
    assert fewer["copies of the store"] == 2 * 150 * (8 * 6 + 8)
    assert stage(profile(replace(call, loads=("nutpie",))), "conversion")["library nutpie"] == 9 << 20


LIKELIHOOD = (DrawArray("y", "log-likelihood", "float64", (500,)),)


def test_a_log_likelihood_of_nutpie_is_made_after_its_store_is_gone() -> None:
    """With a dict for each draw, and it stays in the result."""
    found = profile(replace(CALL, sampler="nutpie", log_likelihood=LIKELIHOOD))
    assert [s.name for s in found.stages] == ["sampling", "conversion", "log-likelihood", "result"]
    made = stage(found, "log-likelihood")
    assert "nutpie's store" not in made
    assert made["result: log-likelihood"] == stage(found, "result")["result: log-likelihood"] == 100 * 4000
    assert made["log-likelihood: a dict for each draw"] > 100 * 200


def test_a_log_likelihood_of_jax_is_made_before_the_other_results() -> None:
    """XLA's word for all draws at once, whose arguments are not given up; its own data go, its result stays to the end."""
    density = {"vmap": ProgramFigures(2400, 400_000, 70_000, 0), "scan": ProgramFigures(2400, 400_000, 50, 0)}
    call = replace(CALL, log_likelihood=LIKELIHOOD, density=density, density_constants=4000)
    found = profile(call)
    assert [s.name for s in found.stages] == ["sampling", "log-likelihood", "post-processing", "result"]
    made = stage(found, "log-likelihood")
    assert (made["result: log-likelihood"], made["XLA's temporaries"], made["data in the log-likelihood"]) == (400_000, 70_000, 4000)
    after = stage(found, "post-processing")
    assert after["result: log-likelihood"] == stage(found, "result")["result: log-likelihood"] == 400_000
    assert "data in the log-likelihood" not in after
    slow = stage(profile(replace(call, vectorize="scan")), "log-likelihood")
    assert (slow["XLA's temporaries"], slow["transposed arguments and results"]) == (50, MOVED + 400_000)
    unknown = stage(profile(replace(call, density={})), "log-likelihood")
    assert unknown["result: log-likelihood"] == unknown["XLA's temporaries"] == 400_000
    (without,) = [p for p in plans(found, {}) if p.change == 'idata_kwargs={"log_likelihood": False}']
    assert [s.name for s in without.after.stages] == ["sampling", "post-processing", "result"]


MODEL = """
import numpy as np
import pymc as pm

with pm.Model() as model:
    f = pm.Normal("f", 0, 1, shape=50)
    s = pm.HalfNormal("s", 1, shape=10)
    pm.Deterministic("mu", pm.math.exp(f[:20] * 2 + 1))
    pm.Normal("y", f, 1, observed=np.zeros(50))
"""


@pytest.mark.parametrize("sampler", ["numpyro", "blackjax", "nutpie"])
def test_a_call_is_caught_with_its_arguments(tmp_path: Path, sampler: str) -> None:
    """Nothing is sampled; JAX's post-processing is compiled for all draws, and its arguments and results are what sums by hand give."""
    jax = sampler != "nutpie"
    options = ", nuts={'chain_method': 'vectorized', 'postprocessing_vectorize': 'scan'}" if jax else ""
    lines = (
        f"    idata = pm.sample(300, tune=7, chains=3, nuts_sampler='{sampler}'{options}, idata_kwargs={{'log_likelihood': True}})\n"
        "held = idata.posterior.sizes['draw']\n"
        "assert held == 300\n"
        "assert idata.log_likelihood['y'].shape == (3, held, 50)\n"
        "assert idata.posterior['mu'].shape == (3, held, 20)\n"
        "idata.sample_stats['diverging'].sum()\n"
    )
    report = check(tmp_path, "pymc_jax", lines, MODEL)
    assert report.script.status == "finished", report.script.traceback
    (found,) = report.sampling
    call = found.profile.call
    assert [(v.name, v.dtype, v.shape) for v in call.log_likelihood] == [("y", "float64", (50,))]
    if jax:
        assert [p.output // 400 for p in call.density.values()] == [900, 900]
    assert (call.sampler, call.draws, call.tune, call.chains) == (sampler, 300, 7, 3)
    assert {v.name for v in call.variables if v.sampled} == {"f", "s_log__"}
    if jax:
        assert (call.chain_method, call.vectorize) == ("vectorized", "scan")
        for post in call.post_processing.values():
            assert post.argument == 900 * 8 * 60
            assert 900 * 8 * 80 <= post.output <= 900 * 8 * 80 + 64
        assert set(call.post_processing) == {"vmap", "scan"}


def on_a_card(available: int) -> tuple[ProcessProfile, list[Finding]]:
    """What is said of a script that samples with `CALL` and data of 900 bytes, on a card with so many bytes."""
    found = profile(replace(CALL, constants=900))
    calls = (SampledCall("idata", found, plans(found, {}, on_card=True)),)
    told = with_jax_arrays(ProcessProfile({}, 10, 10, 5, True), calls, available)
    return told, list(sampling.sampling.check(SamplingSubject("model.py", calls, None, available)))


LIVE = MOVED + 800 + 900 + 800 + 4800
"""Draws and statistics, the data, numpyro's second copy, and the results of the post-processing; no temporaries."""


def test_arrays_of_jax_are_the_least_that_a_card_needs() -> None:
    """What XLA takes beside them on the card nobody knows, so nobody says that it fits."""
    told, findings = on_a_card(1_000_000)
    assert (told.live_peak_bytes, told.reserved_peak_bytes) == (LIVE + 5, LIVE + 5)
    assert isinstance(told.fits, Unknown)
    assert not [f for f in findings if "card" in f.message]


def test_a_card_without_room_for_the_draws_does_not_fit() -> None:
    """Results that the host makes leave it the draws alone."""
    told, findings = on_a_card(LIVE - 1)
    assert told.fits is False
    (found,) = (f for f in findings if "card" in f.message)
    assert found.fix is not None
    notes = {note.split(" with ")[1].rpartition(": ")[0] for note in found.notes if " with " in note}
    assert {'nuts={"postprocessing_backend": "cpu"}', "draws=12"} <= notes


def test_post_processing_on_the_host_takes_nothing_of_the_card() -> None:
    """The same stage, at another place."""
    on_host = profile(replace(CALL, post_device="cpu"))
    assert on_host.device_bytes == profile(CALL).device_bytes - 4800
    assert on_host.peak.bytes == profile(CALL).peak.bytes
