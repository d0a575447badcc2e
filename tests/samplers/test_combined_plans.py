"""Changes of several calls, each simulated with all calls of the script; sums by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.rules import sampling
from theanodiag.rules.sampling import SampledCall, SamplingSubject
from theanodiag.samplers.combined_plans import Caught, peak_bytes, steps
from theanodiag.samplers.model import DrawArray, DrawStatistic, OwnCode, SamplingCall
from theanodiag.samplers.plans import plans
from theanodiag.samplers.simulate import profiles
from theanodiag.units import MIB, format_bytes

MIBS = 2**17
"""Values of float64 in a MiB."""
A = DrawArray("a", "free", "float64", ())
MU = DrawArray("mu", "deterministic", "float64", (MIBS // 100,))
SAMPLED = SamplingCall(0, "sample", "pymc", "6.4.0", 1000, 500, 10, variables=(A, MU), statistics=(DrawStatistic("lp", "float64", 8),))
PREDICTED = SamplingCall(
    1, "sample_posterior_predictive", "pymc", "6.4.0", 1000, 0, 10, variables=(A, MU), checks=False,
    made=(DrawArray("y", "posterior_predictive", "float64", (2 * MIBS // 100,)),),
)  # fmt: skip
BESIDE = 400 * MIB


def caught(*calls: SamplingCall) -> list[Caught]:
    """Each with its plans, in a process of 400 MiB."""
    return [Caught(p, {}, BESIDE, plans(p, {})) for p in profiles(calls, [{}] * len(calls))]


def test_a_change_is_worth_what_it_takes_off_the_whole_script() -> None:
    """Without `mu` sampling needs hardly anything; the predictions are then the peak, with a result of 100 MiB less in front of them."""
    calls = caught(SAMPLED, PREDICTED)
    first, second = steps(calls)
    assert (first.position, first.plan.change) == (0, "var_names=['a']")
    assert (second.position, second.plan.change) == (1, "trace=idata.isel(draw=slice(start, start + 100))")
    peak = peak_bytes(calls)
    assert 200 * MIB - first.plan.after.peak.bytes > 180 * MIB
    assert 95 * MIB < peak - first.peak_bytes < 105 * MIB
    assert 175 * MIB < first.peak_bytes - second.peak_bytes < 185 * MIB


def test_what_the_script_reads_stays_in_the_results() -> None:
    """Neither the draws of `mu` nor the predictions of `y` are left out by name then."""
    read = frozenset({"mu", "y"})
    both = replace(PREDICTED, made=(*PREDICTED.made, replace(A, name="z")))
    for sampled, predicted, expected in ((SAMPLED, both, True), (replace(SAMPLED, read=read), replace(both, read=read), False)):
        for call in caught(sampled, predicted):
            assert any(p.change.startswith("var_names=") for p in call.plans) is expected


def test_draws_go_to_disk_only_if_nothing_else_is_enough() -> None:
    """The log-likelihood is most of the peak, and one argument leaves it out; on disk even less would be left."""
    call = replace(SAMPLED, variables=(A,), log_likelihood=(DrawArray("y", "log-likelihood", "float64", (10 * MIBS // 100,)),))
    calls = caught(call)
    (chosen,) = steps(calls, peak_bytes(calls) - 100 * MIB)
    assert chosen.plan.change == 'idata_kwargs={"log_likelihood": False}'
    least = steps(calls, BESIDE + min(p.after.peak.bytes for p in calls[0].plans))
    assert any("ZarrTrace" in step.plan.change for step in least)


def test_parts_of_the_draws_are_a_loop() -> None:
    """That is Python, over all draws of a chain."""
    calls = caught(SAMPLED, PREDICTED)
    called = tuple(SampledCall("pymc." + c.profile.call.kind, c.profile, c.plans) for c in calls)
    found = [f for f in sampling.sampling.check(SamplingSubject("model.py", called, None)) if f.fix and "start" in str(f.fix.code)]
    assert [f.fix.title for f in found if f.fix] == ["pymc.sample_posterior_predictive for parts of the draws, one after the other"]
    code = str(found[0].fix and found[0].fix.code)
    ranges, shapes = list[range](), list[object]()

    class Draws:
        def isel(self, draw: slice) -> slice:
            return draw

    class Library:
        def sample_posterior_predictive(self, trace: slice) -> None:
            shapes.append(trace)

    def counted(*numbers: int) -> range:
        ranges.append(range(*numbers))
        return ranges[-1]

    exec(code, {"pymc": Library(), "idata": Draws(), "range": counted})
    assert ranges == [range(0, 1000, 100)]
    assert shapes == [slice(start, start + 100) for start in range(0, 1000, 100)]


def test_nothing_is_said_of_what_saves_less_than_a_tenth_of_the_process() -> None:
    """Libraries and compiled functions are most of a small model's process."""
    small = replace(SAMPLED, variables=(A, replace(MU, shape=(MIBS // 1000,))), draws=500)
    assert plans(profiles([small], [{}])[0], {})
    assert steps(caught(small)) == ()
    (found,) = caught(small)
    called = SampledCall("idata", found.profile, found.plans)
    assert list(sampling.sampling.check(SamplingSubject("model.py", (called,), None))) == []


def test_two_calls_as_high_as_each_other_both_change() -> None:
    """One alone would save nothing."""
    dropped = replace(SAMPLED, dropped_before=1)
    made = steps(caught(dropped, replace(dropped, number=1, dropped_before=None)))
    assert {step.position for step in made} == {0, 1}
    assert {step.plan.change for step in made} == {"var_names=['a']"}


def test_steps_end_where_the_script_fits() -> None:
    """No more is changed than has to be; runs with fewer draws come only where nothing else is enough."""
    calls = caught(SAMPLED, PREDICTED)
    enough = steps(calls, peak_bytes(calls) - 50 * MIB)
    assert [step.plan.change for step in enough] == ["var_names=['a']"]
    free = replace(SAMPLED, variables=(replace(A, shape=(MIBS // 100,)),))
    alone = caught(free)
    assert [step.plan.change for step in steps(alone, BESIDE + 150 * MIB)][-1:] == ["draws=250"]


def test_the_sum_is_told_once() -> None:
    """The findings' savings are what the steps take off the whole, and a note has them together."""
    calls = caught(SAMPLED, PREDICTED)
    subject = SamplingSubject("model.py", tuple(SampledCall(c.profile.call.name, c.profile, c.plans) for c in calls), None)
    found = list(sampling.sampling.check(subject))
    made = steps([replace(c, beside_bytes=0) for c in calls])
    peak = max(c.profile.peak.bytes for c in calls)
    assert sum(f.saves.bytes for f in found if f.saves) == peak - made[-1].peak_bytes
    assert [any("for the whole process after all of these" in note for note in f.notes) for f in found] == [True, False]


def test_a_statement_after_the_call_is_no_argument_of_it() -> None:
    """And a store that the script's own code cannot read as `idata` is not advised with it."""
    rows = tuple(OwnCode(draws, draws * 400_000, 0) for draws in (100, 200))
    (call,) = caught(replace(SAMPLED, own_code=rows))
    assert any("ZarrTrace" in p.change for p in call.plans)
    (found,) = sampling.sampling.check(SamplingSubject("model.py", (SampledCall("pymc.sample", call.profile, call.plans),), None))
    assert found.fix is not None
    assert found.fix.title == "pymc.sample with"
    arguments, statement = str(found.fix.code).splitlines()
    assert arguments == "var_names=['a']"
    assert statement == "idata = idata.isel(draw=slice(None, None, 10))  # before your own computations with the draws"
    assert "sample with idata" not in " ".join(found.notes)


@pytest.mark.parametrize("kind", ["sample_posterior_predictive", "compute_log_likelihood"])
def test_what_is_computed_of_a_part_of_the_draws_is_in_what_the_call_returns(kind: str) -> None:
    """The script's own result is not extended, so that `az.loo(idata)` would find no log-likelihood."""
    (call,) = caught(replace(PREDICTED, kind=kind))
    (found,) = sampling.sampling.check(SamplingSubject("model.py", (SampledCall("pymc." + kind, call.profile, call.plans),), None))
    assert found.fix is not None
    assert ".isel(draw=" in str(found.fix.code)
    assert found.fix.title == f"pymc.{kind} for parts of the draws, one after the other"
    assert "    part = pymc." in str(found.fix.code)
    assert all("keep what it returns" in p.note for p in call.plans if ".isel(draw=" in p.change)


def test_predictions_and_densities_have_plans() -> None:
    """A part of the draws, every tenth, or fewer variables; the figures are those of fewer draws."""
    wide, narrow = PREDICTED.made[0], DrawArray("z", "posterior_predictive", "float64", ())
    call = replace(PREDICTED, made=(wide, narrow))
    found = profiles([call], [{}])[0]
    by_change = {p.change: p.after.call for p in plans(found, {})}
    assert by_change["trace=idata.isel(draw=slice(start, start + 100))"].draws == 100
    assert by_change["trace=idata.isel(draw=slice(None, None, 10))"].draws == 100
    assert by_change["var_names=['z']"].made == (narrow,)
    density = profiles([replace(call, kind="compute_log_likelihood")], [{}])[0]
    assert any(p.change == "idata=idata.isel(draw=slice(None, None, 10))" for p in plans(density, {}))


@pytest.mark.parametrize("missing", [1, 3 * MIB])
def test_what_is_missing_is_told_where_need_and_memory_are_printed_alike(missing: int) -> None:
    """A byte too few of gibibytes is not "4.0 of 4.0 GiB"."""
    (call,) = caught(SAMPLED)
    available = call.profile.peak.bytes - missing
    (found,) = sampling.sampling.check(SamplingSubject("model.py", (SampledCall("pymc.sample", call.profile, call.plans),), available))
    assert f"are available: {format_bytes(missing)} too few" in found.message
