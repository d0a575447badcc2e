"""What PyMC's own samplers hold, stage by stage, against sums by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.ir import Unknown
from theanodiag.samplers import pymc_chains
from theanodiag.samplers.model import DrawArray, DrawStatistic, SamplingCall, SamplingProfile
from theanodiag.samplers.plans import plans
from theanodiag.samplers.simulate import profile, profiles

A = DrawArray("a", "free", "float64", ())
LOG = DrawArray("s_log__", "transformed", "float64", (3,))
MU = DrawArray("mu", "deterministic", "float32", (1000,))
CALL = SamplingCall(0, "sample", "pymc", "6.4.0", 400, 100, 3, variables=(A, LOG, MU), statistics=(DrawStatistic("lp", "float64", 8),))
ENTRIES = 3 * 500
KEPT = 3 * 400


def stage(found: SamplingProfile, name: str) -> dict[str, int]:
    """The lines of the stage of that name."""
    (own,) = (s for s in found.stages if s.name == name)
    return {a.what: a.bytes for a in own.amounts}


def test_every_chain_keeps_tuning_and_both_scales() -> None:
    """Draws and tuning of all chains, whatever the result will have."""
    assert stage(profile(CALL), "sampling") == {
        "trace: free variables": ENTRIES * 8,
        "trace: transformed variables": ENTRIES * 24,
        "trace: deterministic variables": ENTRIES * 4000,
        "trace: statistics": ENTRIES * 8,
        "small objects": pymc_chains.SMALL,
    }


def test_the_copy_leaves_out_tuning_and_transformed_variables() -> None:
    """... and is there beside the trace."""
    found = stage(profile(CALL), "conversion")
    assert found["result: draws"] == KEPT * 4008
    assert found["trace: deterministic variables"] == ENTRIES * 4000
    whole = stage(profile(replace(CALL, discard_tuned=False, include_transformed=True)), "conversion")
    assert whole["result: draws"] == ENTRIES * 4032


def test_the_trace_is_gone_in_the_result() -> None:
    """What the caller gets is the copy; where a MultiTrace is wanted the trace itself."""
    assert not any(what.startswith("trace") for what in stage(profile(CALL), "result"))
    kept = profile(replace(CALL, converted=False))
    assert stage(kept, "result")["trace: free variables"] == ENTRIES * 8
    assert [s.name for s in kept.stages] == ["sampling", "conversion", "convergence checks", "result"]
    assert [s.name for s in profile(replace(CALL, converted=False, checks=False)).stages] == ["sampling", "result"]


@pytest.mark.parametrize(("draws", "chains", "counts"), [(99, 3, False), (100, 3, True), (100, 1, False)])
def test_few_draws_and_one_chain_are_not_checked(draws: int, chains: int, counts: bool) -> None:
    """PyMC checks from 100 draws and two chains on; arviz_stats is loaded only then."""
    found = stage(profile(replace(CALL, draws=draws, chains=chains, loads=("arviz_base", "arviz_stats"))), "convergence checks")
    assert ("ranks of one element" in found) == ("library arviz_stats" in found) == counts
    assert "library arviz_base" in found


def test_workers_have_what_a_chain_runs() -> None:
    """At most one a chain; the trace and its function stay where `sample` was called."""
    functions = {"logp and gradient": 1000, "trace": 10}
    nuts = replace(CALL, cores=8, parallel=True, functions={"logp and gradient": (0,)})
    assert profile(nuts, functions).stages[0].worker_bytes == 3 * (pymc_chains.WORKER + 1000)
    anew = profile(replace(nuts, start_method="spawn"), functions).stages[0]
    more = 3 * (pymc_chains.IMPORTED[6] + pymc_chains.ANEW) + pymc_chains.HELPERS["spawn"]
    assert anew.worker_bytes == 3 * (pymc_chains.WORKER + 1000) + more
    others = profile(replace(nuts, functions={}), {}).stages[0]  # what they compile they compile themselves
    assert others.worker_bytes == 3 * (pymc_chains.WORKER + pymc_chains.COMPILER + pymc_chains.COMPILED)
    mixed = profile(replace(nuts, functions={"steps": (0, 1)}), {}).stages[0]
    assert mixed.worker_bytes - others.worker_bytes == 3 * pymc_chains.COMPILED
    alone = profile(replace(CALL, cores=8), functions).stages[0]
    assert alone.worker_bytes == 0
    assert {a.what: a.bytes for a in alone.amounts}["function: logp and gradient"] == 1000


def test_log_likelihood_is_computed_beside_trace_and_result() -> None:
    """Each draw of each observation, with a dict for each draw."""
    found = stage(profile(replace(CALL, log_likelihood=(DrawArray("y", "log-likelihood", "float64", (50,)),))), "log-likelihood")
    assert found["result: log-likelihood"] == KEPT * 400
    assert found["log-likelihood: a dict for each draw"] == KEPT * (8 + 184 + 96)
    assert found["trace: free variables"] == ENTRIES * 8


def test_later_calls_stand_on_what_the_script_still_holds() -> None:
    """A result counts until the script dropped it; the libraries that its call loaded stay."""
    first = replace(CALL, loads=("arviz_base",))
    second, third = replace(CALL, number=1), replace(CALL, number=2)
    result = KEPT * 4008 + KEPT * 8 + 2 * 8 * KEPT // 3
    library = pymc_chains.CONVERTS["arviz_base"]
    held = profiles((first, second, third), ({}, {}, {}))
    assert [p.before_bytes for p in held] == [0, result + library, 2 * result + library]
    dropped = profiles((replace(first, dropped_before=1), second, third), ({}, {}, {}))
    assert [p.before_bytes for p in dropped] == [0, library, result + library]


def test_what_has_no_known_size_is_named() -> None:
    """The figures are then without it."""
    found = profile(replace(CALL, variables=(A, replace(MU, shape=(Unknown("data"),)))))
    assert found.unknown == ("mu",)
    assert "trace: deterministic variables" not in stage(found, "sampling")


def test_each_plan_lowers_the_peak_as_it_says() -> None:
    """The best first, but draws on disk last, and each by the same simulation."""
    call = replace(CALL, discard_tuned=False, log_likelihood=(DrawArray("y", "log-likelihood", "float64", (500,)),))
    found = profile(call)
    made = plans(found, {})
    assert [p.change for p in made] == [
        "var_names=['a']", "draws=100",
        'idata_kwargs={"log_likelihood": False}', 'pytensor.config.floatX = "float32"  # before the model, and its data as float32',
        "discard_tuned_samples=True",
        'trace=ZarrTrace(zarr.DirectoryStore("draws.zarr"), draws_per_chunk=100), return_inferencedata=False, '
        "compute_convergence_checks=False",
    ]  # fmt: skip
    peaks = [p.after.peak.bytes for p in made]
    assert peaks[:-1] == sorted(peaks[:-1])
    assert peaks[-1] < found.peak.bytes
    assert {v.name for v in made[0].after.call.variables} == {"a"}


def test_the_number_of_draws_that_fits_is_the_largest() -> None:
    """One more does not fit."""
    call = replace(CALL, draws=100_000)
    available = 200 << 20
    (plan,) = (p for p in plans(profile(call), {}, available) if p.change.startswith("draws"))
    fits = plan.after
    assert fits.peak.bytes <= available < profile(replace(call, draws=fits.call.draws + 1)).peak.bytes
