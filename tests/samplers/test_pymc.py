"""Calls of real PyMC are caught before they sample, and hold when they do sample what was said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import theanodiag
from tests.interpreters import THOROUGH, find, python
from tests.report.conftest import render
from tests.samplers.compare import SCRIPTS, compared
from theanodiag.errors import ExitCode
from theanodiag.findings import Severity
from theanodiag.report.model import Report

from ..schemas import flaws

MIB = 1 << 20
VERSIONS = ("pymc", "pymc5")
MODEL = """
import numpy as np
import pymc as pm

with pm.Model() as model:
    a = pm.Normal("a", 0, 1, shape=3)
    s = pm.HalfNormal("s", 1)
    pm.Deterministic("mu", a.sum() * np.ones(50))
    pm.Normal("y", a[0], s, observed=np.zeros(7))
"""


def check(folder: Path, environment: str, lines: str, model: str = MODEL) -> Report:
    """The report on the model with these lines after it."""
    script = folder / "model.py"
    script.write_text(model + lines)
    return theanodiag.check(script, python=find(environment), device="none", stdout=2)


@pytest.mark.parametrize("environment", VERSIONS)
def test_a_call_is_caught_with_its_arguments(tmp_path: Path, environment: str) -> None:
    """Arguments, the arrays of a draw, what the steps tell; and what the script gets has the shape of all draws without their memory."""
    report = check(
        tmp_path, environment,
        "    idata = pm.sample(5000, tune=70, chains=3, cores=2, discard_tuned_samples=False, idata_kwargs={'log_likelihood': True})\n"
        "print('got', idata.posterior['mu'].shape, sorted(idata.log_likelihood['y'].shape))\n"
        "assert idata.posterior['mu'].shape == (3, 5000, 50)\n"
        "assert idata.posterior['mu'].values.std() > 0\n",
    )  # fmt: skip
    assert report.script.status == "finished", report.script.traceback
    (found,) = report.sampling
    call = found.profile.call
    assert (call.draws, call.tune, call.chains, call.cores, call.parallel) == (5000, 70, 3, 2, True)
    assert (call.discard_tuned, call.checks, call.converted, call.start_method) == (False, True, True, "fork")
    shapes = {(v.name, v.kind, v.shape) for v in call.variables}
    assert shapes == {
        ("a", "free", (3,)), ("s_log__", "transformed", ()), ("s", "free", ()), ("mu", "deterministic", (50,)),
    }  # fmt: skip
    assert [(v.name, v.shape) for v in call.log_likelihood] == [("y", (7,))]
    assert {"tree_size", "energy", "warning"} <= {s.name for s in call.statistics}
    assert call.site is not None
    assert call.site.line == 10
    assert {f.name for f in report.functions} >= {"logp and gradient", "trace", "log-likelihood"}
    assert flaws(json.loads(report.to_json())) == []
    assert "convergence checks" in render(report)


def test_a_result_that_the_script_dropped_is_not_counted(tmp_path: Path) -> None:
    """The second call stands on the first one's result only while the script holds it."""
    lines = "    first = pm.sample(2000, tune=10, chains=2, cores=1)\n{}    second = pm.sample(2000, tune=10, chains=2, cores=1)\n"
    held = check(tmp_path, "pymc", lines.format("")).sampling
    dropped = check(tmp_path, "pymc", "    import gc\n" + lines.format("    del first; gc.collect()\n")).sampling
    result = sum(a.bytes for a in held[0].profile.stages[-1].amounts if a.what.startswith("result"))
    assert held[1].profile.before_bytes - dropped[1].profile.before_bytes == result > 1000


def test_a_start_without_a_finite_density_is_told(tmp_path: Path) -> None:
    """Functions return zeros, so that PyMC itself does not notice; a sound model has no such line."""
    lines = "    pm.Uniform('u', 5, 6, observed=np.zeros(4))\n    idata = pm.sample(500, chains=2, cores=1)\n"
    report = check(tmp_path, "pymc", lines)
    assert report.sampling[0].profile.call.start == "u is -inf"
    assert "the log-density is not finite: u is -inf" in " ".join(render(report).split())
    assert flaws(json.loads(report.to_json())) == []
    sound = check(tmp_path, "pymc", lines.replace("zeros(4)", "full(4, 5.5)"))
    assert sound.sampling[0].profile.call.start is None


def test_a_model_that_pymc_refuses_has_a_bound_all_the_same(tmp_path: Path) -> None:
    """One line says at what it failed; sizes are those of the types, and what they do not tell is named."""
    lines = "    pm.Deterministic('free', a[: model['s'].astype('int64')])\n    idata = pm.sample(500, chains=2, cores=1, init='nothing')\n"
    report = check(tmp_path, "pymc", lines)
    assert report.script.exception == "ValueError: Unknown initializer: nothing."
    (found,) = report.sampling
    assert found.profile.call.failed == "ValueError: Unknown initializer: nothing."
    assert found.profile.unknown == ("free",)
    trace = {a.what: a.bytes for a in found.profile.stages[0].amounts}
    assert trace["trace: deterministic variables"] == 2 * 1500 * 400
    assert "PyMC itself failed before the first draw: ValueError: Unknown initializer" in render(report)


def test_what_does_not_fit_ends_with_the_code_for_it(tmp_path: Path) -> None:
    """A trace larger than any host: the exit code of what does not fit, TD340, and the number of draws that does."""
    report = check(tmp_path, "pymc", "    idata = pm.sample(10**12, chains=2, cores=1)\n")
    assert report.exit_code() == ExitCode.OUT_OF_MEMORY
    (finding,) = (f for f in report.findings if f.code == "TD340")
    assert finding.severity is Severity.ERROR
    assert finding.cures
    assert "DOES NOT FIT in the memory of this host" in render(report)
    available = report.target.device.available_bytes
    (draws,) = (p for p in report.sampling[0].plans if p.change.startswith("draws="))
    assert available is not None
    assert draws.after.peak.bytes <= available
    assert finding.after is not None
    assert finding.saves is not None
    process = report.process.live_peak_bytes
    assert draws.after.peak.bytes < finding.after.live_peak_bytes == process - finding.saves.bytes <= available  # libraries and all


OFTEN = ("pymc", "logistic"), ("pymc5", "linear")


@pytest.mark.parametrize(
    ("environment", "script"),
    [(e, s) if (e, s) in OFTEN else pytest.param(e, s, marks=THOROUGH) for e in VERSIONS for s in SCRIPTS],
)
def test_real_runs_hold_what_was_said(environment: str, script: str) -> None:
    """Within a tenth or 16 MiB of what the process rises by, and never more than 3 % below."""
    for c in compared(environment, script):
        assert c.predicted - c.measured <= max(0.1 * c.measured, 16 * MIB), c
        assert c.predicted >= 0.97 * c.measured, c


DIMS = """
import numpy as np
import pymc as pm
import pymc.dims as pmd

with pm.Model(coords={"channel": ["a", "b", "c"], "obs": np.arange(20)}):
    x = pmd.Data("x", np.ones((20, 3)), dims=("obs", "channel"))
    b = pmd.Normal("b", 0, 1, dims=("channel",))
    z = pmd.ZeroSumNormal("z", core_dims=("channel",), dims=("channel",))
    mu = pmd.Deterministic("mu", (x * (b + z)).sum("channel"))
    pmd.Normal("y", mu, 1, observed=pmd.as_xtensor(np.zeros(20), dims=("obs",)))
    idata = pm.sample(5000, tune=70, chains=3, idata_kwargs={"log_likelihood": True}, nuts_sampler="pymc")
    more = pm.sample_posterior_predictive(idata)
assert dict(idata.posterior.sizes) == {"chain": 3, "draw": 5000, "channel": 3, "obs": 20}, idata.posterior.sizes
assert more.posterior_predictive["y"].dims == ("chain", "draw", "obs")
"""


@pytest.mark.parametrize("environment", VERSIONS)
def test_dimensions_with_names_are_tensors(tmp_path: Path, environment: str) -> None:
    """A model of pymc.dims has its stages, and the shape of each variable of its functions is known."""
    report = check(tmp_path, environment, "", DIMS)
    assert report.script.status == "finished", report.script.traceback
    sampled, predicted = report.sampling
    assert {(v.name, v.shape) for v in sampled.profile.call.variables} == {
        ("b", (3,)), ("z_zerosum__", (2,)), ("z", (3,)), ("mu", (20,)),
    }  # fmt: skip
    assert [(v.name, v.shape) for v in sampled.profile.call.log_likelihood] == [("y", (20,))]
    assert [(v.name, v.shape) for v in predicted.profile.call.made] == [("y", (20,))]
    assert (sampled.profile.unknown, predicted.profile.unknown) == ((), ())
    assert [f.name for f in report.functions if f.profile is None or f.profile.unknown] == []


def test_a_model_with_named_dimensions_holds_what_was_said() -> None:
    """Within a tenth or 16 MiB of what the process rises by, and never more than 3 % below."""
    (c,) = compared("pymc", "named_dims")
    assert 0.97 * c.measured <= c.predicted <= c.measured + max(0.1 * c.measured, 16 * MIB), c


def test_llvm_is_measured_before_numba_loads_it(tmp_path: Path) -> None:
    """What a child finds is what the process has of LLVM's library when it imports numba; the process itself does not load it."""
    script = "    pm.sample(1000, chains=2, cores=1)\nassert 'llvmlite' not in open('/proc/self/maps').read()\n"
    report = check(tmp_path, "pymc", script)
    assert report.script.status == "finished", report.script.traceback
    measured = report.sampling[0].profile.call.llvm_bytes
    lines = (
        "import re, numba\nsize = inside = 0\n"
        "for line in open('/proc/self/smaps'):\n"
        "    if re.match('[0-9a-f]+-[0-9a-f]+ ', line):\n        inside = 'libllvmlite' in line\n"
        "    elif inside and line.startswith('Rss:'):\n        size += int(line.split()[1])\n"
        "print(size * 1024)"
    )
    real = int(python("pymc", "-c", lines).stdout)
    assert measured is not None
    assert real - 8 * MIB < measured <= real + 8 * MIB


EVALUATED = """
import numpy as np
import pymc as pm

with pm.Model() as model:
    x = pm.Data("x", np.linspace(-1.0, 1.0, 40))
    gp = pm.gp.HSGP(m=[5], c=1.5, cov_func=pm.gp.cov.ExpQuad(1, ls=pm.HalfNormal("ls", 1)))
    f = gp.prior("f", X=x[:, None])
    pm.Normal("y", f, 1, observed=np.zeros(40))
    idata = pm.sample(100, tune=10, chains=1, progressbar=False)
"""


@pytest.mark.parametrize("environment", VERSIONS)
def test_pymc_evaluates_what_it_needs_to_build_a_model(tmp_path: Path, environment: str) -> None:
    """An HSGP of `pm.Data` asks for the range of its points, and refuses one of zero."""
    report = check(tmp_path, environment, "", EVALUATED)
    assert report.script.status == "finished", report.script.traceback
    assert len(report.sampling) == 1
