"""What a script does with its draws runs on a few of them, is extrapolated, and when it fails it is a note."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from theanodiag.agent.hook import pymc_post_sampling, pymc_results
from theanodiag.errors import ExitCode
from theanodiag.memory.profile import Origin
from theanodiag.samplers import post_sampling
from theanodiag.samplers.model import OWN_CODE, OwnCode, SamplingCall
from theanodiag.samplers.plans import plans
from theanodiag.samplers.simulate import profile, profiles

from ..schemas import flaws
from .test_pymc import VERSIONS, check

MIB = 1 << 20
DERIVED = """    idata = pm.sample(3000, tune=20, chains=2, cores=1, progressbar=False)
assert list(idata.posterior.data_vars) == ["a", "s", "mu"] and idata.posterior["mu"].dims == ("chain", "draw", "mu_dim_0")
assert 0 < float(idata.posterior["s"].min()) < float(idata.posterior["s"].max()) < 1
wide = sum(idata.posterior["s"] * float(k) + np.zeros(1000) if k < 0 else idata.posterior["mu"] * float(k) for k in range(3))
wide = (idata.posterior["s"] + wide).values[..., None] * np.ones(200)
open("done.txt", "x").write(str(wide.shape))
del wide
with model:
    pm.compute_log_likelihood(idata, progressbar=False)
    pm.compute_log_prior(idata, progressbar=False)
with pm.do(model, {"s": 1.0}):
    more = pm.sample_posterior_predictive(idata, progressbar=False)
raise ValueError("of a few draws")
"""


@pytest.mark.parametrize("environment", VERSIONS)
def test_analysis_is_extrapolated_and_its_failure_is_a_note(tmp_path: Path, environment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """10 000 numbers of each draw are told for all draws; a file is written once; later calls are caught all the same."""
    monkeypatch.chdir(tmp_path)
    report = check(tmp_path, environment, DERIVED)
    assert [c.profile.call.kind for c in report.sampling] == [
        "sample", "compute_log_likelihood", "compute_log_prior", "sample_posterior_predictive",
    ]  # fmt: skip
    first = report.sampling[0].profile
    assert {row.draws for row in first.call.own_code} == {50, 200, 400}
    assert first.peak.name == OWN_CODE
    (own,) = (amount for amount in first.peak.amounts if amount.what.startswith("what it computes"))
    least = 2 * 3000 * 50 * 200 * 8
    assert least <= own.bytes <= 1.2 * least
    assert report.sampling[1].profile.before_bytes - first.kept_bytes < least / 4
    assert (tmp_path / "done.txt").read_text() == "(2, 200, 50, 200)"
    assert report.script.on_stand_ins
    assert report.exit_code() is ExitCode.CLEAN
    (note,) = (s.reason for s in report.skipped if s.what == "your own code after sampling")
    assert "at line 22 with ValueError: of a few draws" in note
    assert any("isel(draw=slice(None, None, 10))" in p.change for p in report.sampling[0].plans)
    assert flaws(json.loads(report.to_json())) == []


DRAWN = """    pm.draw(pm.Normal.dist(0.0, 1.0), draws=2000)
    idata = pm.sample(200, tune=20, chains=2, cores=1, progressbar=False)
pm.draw(pm.Exponential.dist(1.0), draws=2000)
"""


def test_a_script_that_draws_one_by_one_is_not_stopped_before_it_samples(tmp_path: Path) -> None:
    """Thousands of calls of one function without news, before and after."""
    report = check(tmp_path, "pymc", DRAWN)
    assert [c.profile.call.kind for c in report.sampling] == ["sample"]
    assert report.script.status == "finished"


PRIOR_FIRST = """    prior = pm.sample_prior_predictive(100)
    idata = pm.sample(1000, tune=20, chains=2, cores=1, progressbar=False)
wide = idata.posterior["s"].values[..., None] * np.ones(500)
"""


def test_a_first_call_of_few_draws_does_not_limit_later_ones(tmp_path: Path) -> None:
    """A hundred draws from the prior, then a thousand, whose own code is tried with several numbers of draws."""
    first, second = (c.profile.call for c in check(tmp_path, "pymc", PRIOR_FIRST).sampling)
    assert [row.draws for row in first.own_code] == [100]
    assert {row.draws for row in second.own_code} == {50, 200, 400, 1000}
    assert post_sampling.at(second, lambda row: row.peak)[1] is Origin.MEASURED


KEPT = """    idata = pm.sample(200, tune=20, chains=2, cores=1, progressbar=False)
kept = np.ones(8_000_000)
with model:
    more = pm.sample_posterior_predictive(idata, progressbar=False)
"""


def test_what_a_script_keeps_is_counted_once(tmp_path: Path) -> None:
    """64 MB between two calls: part of the earlier results of the second call, and not of the model and its data."""
    first, second = check(tmp_path, "pymc", KEPT).sampling
    assert second.profile.before_bytes - first.profile.kept_bytes >= 64_000_000
    assert second.whole is not None
    assert first.whole is not None
    data = [next(p.bytes for p in call.whole.parts if p.what.startswith("model")) for call in (first, second)]
    assert data[1] - data[0] < 32_000_000


CALL = SamplingCall(0, "sample", "pymc", "6.4.0", 1000, 0, 2)


def test_a_line_through_two_and_a_bound_by_one() -> None:
    """What does not grow stays; with one number of draws all may grow; with all draws it is what was measured."""
    two = (OwnCode(50, 7 * MIB, MIB), OwnCode(100, 12 * MIB, MIB))

    def peak(row: OwnCode) -> int:
        return row.peak

    assert post_sampling.at(replace(CALL, own_code=two), peak) == (102 * MIB, Origin.MEASURED)
    assert post_sampling.at(replace(CALL, own_code=two[1:]), peak) == (120 * MIB, Origin.BOUNDED)
    assert post_sampling.at(replace(CALL, own_code=(OwnCode(1000, 5, 1),)), peak) == (5, Origin.MEASURED)
    call = replace(CALL, own_code=two)
    found = profile(call)
    assert (found.peak.name, found.result.name) == (OWN_CODE, "result")
    assert found.peak.bytes == found.result.bytes + 102 * MIB
    assert {p.change for p in plans(found, {})} >= {"draws=250", "idata.isel(draw=slice(None, None, 10))"}
    assert profiles([call, CALL], [{}, {}])[1].before_bytes == found.kept_bytes + MIB


def test_made_up_draws_differ_also_where_they_would_take_much() -> None:
    """`az.loo` ends with an error if the tail of a row has one value. A large array is a view of one row of values."""
    numpy = pytest.importorskip("numpy")
    made = pymc_results.varied(numpy.random.RandomState(0), numpy.full((100, 300), -3.0), 4, 200)
    assert made.shape == (4, 200, 100, 300)
    assert made.nbytes > pymc_results.DIFFERENT
    assert len(numpy.unique(made[:, :, 3, 7])) == 800
    assert -3.7 < made.min() < made.max() < -2.3
    assert made.base is not None
    assert not made.flags.writeable


WRITING = """
import os, sys, tempfile
from theanodiag.agent.hook import own_files
tempfile.tempdir = sys.argv[1]
own_files.OwnFiles(tempfile.mkdtemp()).install()
open("old.txt", "a").write(" more")
assert open("old.txt").read() == "old more"
os.makedirs("new/deep")
open("new/deep/x", "w").write("1")
assert open("new/deep/x").read() == "1"
os.remove("old.txt")
assert open("old.txt").read() == "old"
"""


def test_a_child_writes_into_its_own_folder(tmp_path: Path) -> None:
    """It reads what it wrote, and nothing outside changes."""
    there, own = tmp_path / "there", tmp_path / "own"
    there.mkdir()
    own.mkdir()
    (there / "old.txt").write_text("old")
    command = [sys.executable, "-c", WRITING, str(own)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, cwd=there)
    assert done.returncode == 0, done.stderr
    assert [p.name for p in there.iterdir()] == ["old.txt"]
    assert (there / "old.txt").read_text() == "old"


def test_a_call_of_fewer_draws_than_a_trial_has_one_figure() -> None:
    """Both trials get the same draws of it: its figure is the later one, whatever the number of draws."""
    runs = [([[1, 50, 400, 0, 0], [2, 40, 300, 0, 0]], "end"), ([[1, 200, 1000, 0, 0], [2, 40, 310, 0, 0]], "end")]
    assert pymc_post_sampling.expected(runs, 700) == [3000, 310]


def test_a_library_that_waits_for_its_first_use_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """`import arviz` leaves JAX and numpyro in `sys.modules`, empty: they take no memory, and no thread is in the way of a fork."""
    spec = importlib.util.find_spec("wave")
    assert spec is not None
    assert spec.loader is not None
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "wave", module)
    assert not pymc_post_sampling.is_loaded("wave")
    assert module.open  # its first use
    assert pymc_post_sampling.is_loaded("wave")


SEVERAL_MOMENTS = """    idata = pm.sample(2000, tune=20, chains=2, cores=1, progressbar=False)
table = np.ones(500_000)
del table
copies = [idata.posterior["mu"].values * 1.0 for _ in range(5)]
"""


def test_a_moment_that_is_the_highest_only_with_many_draws_is_counted(tmp_path: Path) -> None:
    """A table of a fixed size is the highest with 50 and 200 draws, of which 200 have 160 kB; all draws have 8 MB, five times."""
    (call,) = check(tmp_path, "pymc", SEVERAL_MOMENTS).sampling
    least = 5 * 2000 * 2 * 50 * 8
    size, _ = post_sampling.at(call.profile.call, lambda row: row.peak)
    assert least <= size <= 1.2 * least


@pytest.mark.parametrize(("reads", "left_out"), [("idata.posterior['a'].mean()", True), ("idata.posterior['mu'].mean()", False)])
def test_no_plan_leaves_out_what_the_script_reads(tmp_path: Path, reads: str, left_out: bool) -> None:
    """With `var_names=` the line that reads `mu` would fail."""
    lines = f"    idata = pm.sample(5000, tune=20, chains=2, cores=1, progressbar=False)\n{reads}\n"
    (call,) = check(tmp_path, "pymc", lines).sampling
    assert any(p.change.startswith("var_names=") for p in call.plans) is left_out


OUTSIDE = """    idata = pm.sample(60, tune=20, chains=2, cores=1, progressbar=False)
import ctypes
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
memory = libc.malloc(40 << 20)
ctypes.memset(memory, 1, 40 << 20)
libc.free(memory)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the highest resident memory from /proc")
def test_memory_outside_of_pythons_record_is_counted(tmp_path: Path) -> None:
    """Libraries of C++ and their pages, such as those of plots, are not in tracemalloc's figures."""
    (call,) = check(tmp_path, "pymc", OUTSIDE).sampling
    assert 38 * MIB <= post_sampling.untraced(call.profile.call) <= 60 * MIB
    assert call.profile.peak.name == OWN_CODE
    assert call.profile.peak.bytes - call.profile.result.bytes >= 38 * MIB


FAILING_LATER = """    idata = pm.sample(1000, tune=20, chains=2, cores=1, progressbar=False)
copies = [idata.posterior["mu"].values * 1.0 for _ in range(3)]
with model:
    pm.sample(10, tune=10, chains=1, cores=1, step=[1], progressbar=False)
"""


def test_what_comes_before_a_call_that_fails_is_measured_with_several_draws(tmp_path: Path) -> None:
    """It had done all that it does: nothing is an upper bound."""
    first = check(tmp_path, "pymc", FAILING_LATER).sampling[0].profile
    assert len({row.draws for row in first.call.own_code}) > 1
    assert not first.own_code_bounded
