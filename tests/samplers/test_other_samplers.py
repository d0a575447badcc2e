"""Samplers that are called by other names than `pymc.sample` are caught, and hold what was said; what is not simulated is named."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.interpreters import python
from tests.report.conftest import render
from theanodiag.agent.hook.pymc_external import has_trees
from theanodiag.ir import Unknown
from theanodiag.jobs.confirm import INSTRUMENT
from theanodiag.report.next_step import next_step
from theanodiag.samplers.model import SamplingCall
from theanodiag.samplers.process_memory import FIRST, NUTPIE_CODE, NUTPIE_FUNCTIONS
from theanodiag.samplers.simulate import UNCOUNTED, profile

from ..schemas import flaws
from .test_pymc import MIB, check
from .test_pymc_chains import stage

LOOP = """
import numpy as np
import pymc as pm
import pytensor

with pm.Model() as model:
    a = pm.Normal("a")
    steps = pytensor.scan(lambda x, a: 0.5 * x + a, outputs_info=[a], non_sequences=[a], n_steps=10, return_updates=False)
    pm.Normal("y", steps if LOOPS else a * np.arange(10), 1, observed=np.arange(10.0))
    pm.sample(200, nuts_sampler="nutpie", progressbar=False)
"""


def test_the_trees_of_bart_are_not_known() -> None:
    """PyMC-BART gives each variable a class of its own, made in its module; a process of its own keeps the trees."""

    def variable(module: str) -> SimpleNamespace:
        return SimpleNamespace(owner=SimpleNamespace(op=type("BART_mu", (), {"__module__": module})()))

    assert has_trees([variable("pytensor.tensor.random.basic"), variable("pymc_bart.bart")])
    assert not has_trees([variable("pytensor.tensor.random.basic")])
    call = SamplingCall(0, "sample", "pymc", "5.28.5", 1000, 0, 2, uncounted_parts=("trees",))
    assert profile(call).unknown == (UNCOUNTED["trees"],)


@pytest.mark.parametrize("loops", [True, False])
def test_what_nutpie_compiles_of_a_loop_is_not_known(tmp_path: Path, loops: bool) -> None:
    """Its compiled function is a constant, which a state-space model exceeded by more than 200 MiB: the verdict is "at least"."""
    report = check(tmp_path, "pymc_jax", "", LOOP.replace("LOOPS", str(loops)))
    (found,) = report.sampling
    assert found.profile.call.uncounted_parts == (("loops",) if loops else ())
    assert ("at least: the size of what numba compiles for nutpie" in render(report)) == loops
    document = json.loads(report.to_json())
    assert flaws(document) == []
    assert bool(document["sampling"][0]["unknown"]) == loops
    assert found.whole is not None
    (counted,) = (part.bytes for part in found.whole.parts if part.what == FIRST)
    assert len(found.profile.call.functions[NUTPIE_FUNCTIONS]) >= 2
    assert (40 if loops else 10) * MIB < counted != NUTPIE_CODE
    assert "what numba compiles for nutpie" not in [skipped.what for skipped in report.skipped]


def test_a_sampler_that_pymc_does_not_have(tmp_path: Path) -> None:
    """PyMC's own error says which ones it has."""
    report = check(tmp_path, "pymc_jax", "pm.sample(nuts_sampler='nutpi', model=model)\n")
    assert str(report.script.exception).startswith("ValueError: Sampler nutpi not found. Choose one of")


def test_nutpie_by_its_own_name(tmp_path: Path) -> None:
    """Its arguments, its own defaults, what is kept of the tuning, and a result of all draws; advice in words that it takes."""
    report = check(
        tmp_path, "pymc_jax",
        "import nutpie\n"
        "compiled = nutpie.compile_pymc_model(model, var_names=['a', 'mu'])\n"
        "assert compiled.n_dim == 4\n"
        "first = nutpie.sample(compiled, draws=3000, tune=7, chains=3, save_warmup=False, progress_bar=False)\n"
        "assert dict(first.posterior.sizes) == {'chain': 3, 'draw': first.posterior.sizes['draw'], 'a_dim_0': 3, 'mu_dim_0': 50}\n"
        "second = nutpie.sample(compiled, blocking=False).wait()\n"
        "assert second.posterior.sizes['chain'] == 6\n",
    )  # fmt: skip
    assert report.script.status == "finished", report.script.traceback
    first, second = (c.profile.call for c in report.sampling)
    assert (first.name, first.sampler, first.draws, first.tune, first.chains, first.discard_tuned) == (
        "nutpie.sample",
        "nutpie",
        3000,
        7,
        3,
        True,
    )
    assert (second.draws, second.tune, second.chains, second.discard_tuned) == (1000, 400, 6, False)
    assert len(first.functions[NUTPIE_FUNCTIONS]) >= 2
    assert second.functions[NUTPIE_FUNCTIONS] == (), "the same compiled model"
    assert first.var_names == ("a", "mu")
    assert report.sampling[0].profile.stages[0].name == "sampling"
    assert any(p.change == "nutpie.compile_pymc_model(model, var_names=['a'])" for p in report.sampling[0].plans)
    assert flaws(json.loads(report.to_json())) == []
    assert "nutpie.sample with nutpie" in render(report)


@pytest.mark.parametrize("sampler", ["numpyro", "blackjax"])
def test_jax_samplers_by_their_own_name(tmp_path: Path, sampler: str) -> None:
    """`sample_numpyro_nuts` and `sample_blackjax_nuts` are `pymc.sample` with that sampler."""
    direct = f"    from pymc.sampling.jax import sample_{sampler}_nuts as sample\n"
    direct += "    x = sample(700, tune=9, chains=2, chain_method='vectorized')\n"
    through = f"    x = pm.sample(700, tune=9, chains=2, nuts_sampler={sampler!r}, nuts={{'chain_method': 'vectorized'}})\n"
    reports = [check(tmp_path, "pymc_jax", lines) for lines in (direct, through)]
    assert [r.script.status for r in reports] == ["finished", "finished"]
    (mine,), (theirs,) = (r.sampling for r in reports)
    assert mine.profile.call.name == f"pymc.sampling.jax.sample_{sampler}_nuts"
    assert [(s.name, s.bytes) for s in mine.profile.stages] == [(s.name, s.bytes) for s in theirs.profile.stages]


def test_a_sampler_that_cannot_run_is_not_said_to_fit(tmp_path: Path) -> None:
    """Without JAX the real call raises; so does the caught one, and the report says what to install."""
    report = check(tmp_path, "pymc", "    x = pm.sample(nuts_sampler='blackjax', chains=2)\n")
    assert report.script.exception == "ModuleNotFoundError: No module named 'jax'"
    assert isinstance(report.process.fits, Unknown)
    assert (next_step(report) or "").startswith("install the module jax")


@pytest.mark.parametrize("sampler", ["numpyro", "blackjax"])
def test_a_sampler_that_refuses_its_arguments_fails_as_it_would(tmp_path: Path, sampler: str) -> None:
    """As blackjax 1.6 does with what PyMC 6.4 gives it: the program is then not merely left out of the figures."""
    report = check(tmp_path, "pymc_jax", f"    x = pm.sample(nuts_sampler={sampler!r}, chains=2, nuts={{'no_such_option': 1}})\n")
    assert (report.script.exception or "").startswith("TypeError: ")
    assert "unexpected keyword argument 'no_such_option'" in (report.script.exception or "")
    assert isinstance(report.process.fits, Unknown)


@pytest.mark.parametrize("environment", ["pymc", "pymc5"])
def test_particles_are_held_while_they_move(tmp_path: Path, environment: str) -> None:
    """Four numbers a particle; a trace of each chain beside them, and no tuning."""
    lines = (
        "    x = pm.sample_smc(5000, chains=2, cores=1)\n"
        "assert x.posterior['mu'].shape == (2, 5000, 50)\n"
        "assert set(x.sample_stats.data_vars) == {'log_marginal_likelihood', 'beta', 'accept_rate'}\n"
        "assert [chain[-1] for chain in x.sample_stats['log_marginal_likelihood'].values] == [-1, -1]\n"
    )
    report = check(tmp_path, environment, lines)
    assert report.script.status == "finished", report.script.traceback
    (found,) = report.sampling
    assert [(v.name, v.shape) for v in found.profile.call.held] == [("particle", (4,))]
    assert [s.name for s in found.profile.stages] == ["sampling", "conversion", "convergence checks", "result"]
    sampling = stage(found.profile, "sampling")
    assert sampling["particles while they move"] == 5000 * (6 * 4 * 8 + 240)
    assert sampling["trace: deterministic variables"] == 2 * 5000 * 50 * 8
    assert "densities" in {f.name for f in report.functions}


HELD = """
import numpy as np
import nutpie
import pymc as pm

rng = np.random.default_rng(5)
group = rng.integers(0, 300, 4000)

with pm.Model() as model:
    level = pm.Normal("level", 0, 1, shape=300)
    s = pm.HalfNormal("s")
    pm.Deterministic("fit", level[group])
    pm.Normal("y", level[group], s, observed=rng.normal(size=4000))
idata = nutpie.sample(nutpie.compile_pymc_model(model), draws=400, tune=200, chains=2, cores=1, seed=1, progress_bar=False)
"""


def test_nutpie_holds_what_was_said(tmp_path: Path) -> None:
    """Within a tenth or 16 MiB of what the process rises by, and never more than 3 % below."""
    (found,) = check(tmp_path, "pymc_jax", "", HELD).sampling
    out = tmp_path / "rows"
    done = python("pymc_jax", str(INSTRUMENT), str(out), "[]", str(tmp_path / "model.py"), timeout=600)
    assert done.returncode == 0, done.stderr
    measured, predicted = json.loads(out.read_text())["peak"], found.profile.peak.bytes
    assert 0.97 * measured <= predicted <= measured + max(0.1 * measured, 16 * MIB)
