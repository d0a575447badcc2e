"""Draws that go to a store as they are made: sums by hand, and a call of real PyMC that leaves the script's store alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.interpreters import python
from theanodiag.samplers.model import SamplingCall
from theanodiag.samplers.plans import ZARR, plans
from theanodiag.samplers.pymc_chains import SMALL, WORKER
from theanodiag.samplers.simulate import profile
from theanodiag.samplers.zarr_store import ARRAY, NUMBER

from .test_pymc import check
from .test_pymc_chains import CALL, stage

STORED = replace(CALL, storage=ZARR, storage_chunk=10, converted=False, checks=False)
WIDEST = 4000
"""Bytes of the largest variable of a draw."""


def test_a_chain_holds_the_draws_that_it_did_not_write_yet() -> None:
    """What is not transformed, with an object for each array; the chains of workers all at once, one chain where there are none."""
    draw = 8 + WIDEST + 2 * ARRAY + NUMBER
    found = stage(profile(STORED), "sampling")
    assert found == {"small objects": SMALL, "draws until they are written": 10 * draw, "a variable that is written": 10 * WIDEST}
    found = stage(profile(replace(STORED, parallel=True, cores=2)), "sampling")
    assert found["draws until they are written"] == 20 * draw
    assert found["worker processes"] >= 2 * WORKER
    few = stage(profile(replace(STORED, draws=3, tune=2)), "sampling")
    assert few["draws until they are written"] == 5 * draw


def test_the_largest_variable_is_read_when_tuning_is_split_off() -> None:
    """All of its draws, or all of tuning, and its chunks; nothing where there was no tuning."""
    found = stage(profile(STORED), "splitting off the tuning")
    assert found["a variable, all draws"] == found["its chunks as they are stored"] == 3 * 400 * WIDEST
    longer = stage(profile(replace(STORED, tune=900)), "splitting off the tuning")
    assert longer["a variable, all draws"] == 3 * 900 * WIDEST
    assert [s.name for s in profile(replace(STORED, tune=0)).stages] == ["sampling", "result"]


def test_a_store_in_memory_is_a_bound_and_checks_read_everything() -> None:
    """The whole store is in each stage then; what was read for the checks is in the result that is handed out."""
    held = profile(replace(STORED, storage_in_memory=True))
    every = 3 * 500 * (8 + WIDEST + 8)
    assert {stage(held, s.name)["zarr's store, before it is compressed"] for s in held.stages} == {every}
    checked = profile(replace(STORED, converted=True, checks=True))
    assert stage(checked, "convergence checks")["result: draws"] == stage(checked, "result")["result: draws"] == 3 * 400 * (8 + WIDEST)


def test_the_plan_is_what_the_call_with_it_would_hold() -> None:
    """Its peak is that of the stored call; fewer draws at once where a draw is large; other samplers have no such backend."""

    def found(call: SamplingCall) -> list[str]:
        return [p.change for p in plans(profile(call), {}) if p.change.startswith("trace=ZarrTrace")]

    call = replace(CALL, draws=400_000)
    (plan,) = [p for p in plans(profile(call), {}) if p.change.startswith("trace=ZarrTrace")]
    assert "draws_per_chunk=100)" in plan.change
    assert plan.after == profile(replace(call, storage=ZARR, storage_chunk=100, converted=False, checks=False))
    wide = replace(call, variables=(replace(CALL.variables[2], shape=(1_000_000,)),))
    assert "draws_per_chunk=1)" in found(wide)[0]
    assert found(replace(call, sampler="nutpie")) == found(replace(call, storage=ZARR, storage_chunk=10)) == []


LINES = """
    import zarr
    from pymc.backends.zarr import ZarrTrace
    trace = ZarrTrace(zarr.DirectoryStore("STORE"), draws_per_chunk=25)
    got = pm.sample(600, tune=70, chains=3, cores=2, trace=trace, return_inferencedata=False, compute_convergence_checks=False)
assert got is trace
assert got.posterior["mu"].shape == (3, 600, 50)
"""


def test_the_script_gets_its_trace_and_its_store_is_left_as_it_is(tmp_path: Path) -> None:
    """The constructor of `ZarrTrace` empties a store; under `check` draws of an earlier run are still there afterwards."""
    if python("pymc", "-c", "import pymc.backends.zarr as z; assert z._zarr_available").returncode:
        pytest.skip("needs zarr below 3 and numcodecs in the interpreter 'pymc'")
    store = tmp_path / "draws.zarr"
    store.mkdir()
    (store / "earlier").write_text("draws")
    report = check(tmp_path, "pymc", LINES.replace("STORE", str(store)))
    assert report.script.status == "finished", report.script.traceback
    assert [p.name for p in store.iterdir()] == ["earlier"]
    call = report.sampling[0].profile.call
    assert (call.storage, call.storage_chunk, call.storage_in_memory) == (ZARR, 25, False)
    assert [s.name for s in report.sampling[0].profile.stages] == ["sampling", "splitting off the tuning", "result"]
