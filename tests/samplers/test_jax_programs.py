"""What XLA says of a sampler's programs before a run, beside what JAX compiles and holds in a real one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

import theanodiag
from tests.interpreters import find, python
from theanodiag.samplers.model import SamplingProfile

from .test_pymc import check
from .test_pymc_chains import stage

POISSON = """
import numpy as np
import pymc as pm

group = np.arange(3000) % 40
with pm.Model() as model:
    centre = pm.Normal("centre", 0, 1)
    spread = pm.HalfNormal("spread", 1)
    level = pm.Normal("level", centre, spread, shape=40)
    rate = pm.Deterministic("rate", pm.math.exp(level[group]))
    pm.Poisson("y", rate, observed=group % 3)
"""
GAUSSIAN = """
import numpy as np
import pymc as pm

at = np.linspace(0, 1, 80)[:, None]
with pm.Model() as model:
    scale = pm.Gamma("scale", 2, 1)
    height = pm.HalfNormal("height", 1)
    process = pm.gp.Marginal(cov_func=height**2 * pm.gp.cov.Matern52(1, scale))
    process.marginal_likelihood("y", X=at, y=np.sin(6 * at[:, 0]), sigma=0.2)
"""
SPY = """
import json, sys
import jax
from jax._src import compiler
import pymc.sampling.jax

programs, live, own, post = [], [], compiler.backend_compile_and_load, pymc.sampling.jax._postprocess_samples


def compile(*args, **kwargs):
    found = own(*args, **kwargs)
    programs.append(found.get_compiled_memory_stats().temp_size_in_bytes)
    return found


def hold():
    live.append(sum(a.nbytes for a in jax.live_arrays()))


def process(*args, **kwargs):
    hold()
    before = list(programs)
    made = post(*args, **kwargs)
    hold()
    with open(sys.argv[1], "w") as file:
        json.dump({"sampling": before, "post": programs[len(before):], "live": live}, file)
    return made


compiler.backend_compile_and_load, pymc.sampling.jax._postprocess_samples = compile, process
"""


@dataclass(frozen=True)
class RealRun:
    """Bytes: temporaries of each program on one device, JAX's arrays before and after the post-processing."""

    sampling: list[int]
    post: list[int]
    live: list[int]


def real(folder: Path, text: str) -> RealRun:
    """Runs a script in an interpreter with JAX."""
    script, out = folder / "real.py", folder / "figures"
    script.write_text(SPY + text)
    done = python("pymc_jax", str(script), str(out), timeout=300)
    assert done.returncode == 0, done.stderr
    return RealRun(**json.loads(out.read_text()))


def arrays(found: SamplingProfile, name: str) -> int:
    """Bytes of JAX's arrays at a stage: without temporaries and what is not JAX's."""
    return sum(n for what, n in stage(found, name).items() if "temporaries" not in what and what != "small objects")


@pytest.mark.parametrize(
    ("model", "sampler", "options", "chains"),
    [
        (POISSON, "numpyro", "nuts={'chain_method': 'parallel'}", 3),
        (GAUSSIAN, "numpyro", "nuts={'chain_method': 'vectorized'}, progressbar=False", 2),
        (POISSON, "numpyro", "progressbar=False", 1),
        (GAUSSIAN, "blackjax", "nuts={'chain_method': 'parallel'}, progressbar=False", 2),
        (POISSON, "blackjax", "nuts={'chain_method': 'vectorized'}, progressbar=False", 2),
    ],
    ids=["parallel", "vectorized", "one chain", "blackjax", "blackjax vectorized"],
)  # fmt: skip
def test_temporaries_and_live_arrays_are_those_of_a_run(tmp_path: Path, model: str, sampler: str, options: str, chains: int) -> None:
    """Within 2 %, on models on which nothing was measured."""
    line = f"    pm.sample(300, tune=50, chains={chains}, nuts_sampler='{sampler}', {options})\n"
    ran = real(tmp_path, model + line)
    report = check(tmp_path, "pymc_jax", line, model)
    (found,) = report.sampling
    call = found.profile.call
    assert call.refused is None
    assert max(p.temporary for p in call.programs) == pytest.approx(max(ran.sampling), rel=0.02)
    assert call.devices == (chains if "parallel" in options else 1)
    share = call.devices  # a device has its part of the draws
    assert call.post_processing["vmap"].temporary == pytest.approx(max(ran.post) * share, rel=0.02, abs=4096)
    depth = 8 * call.chains * call.draws if sampler == "numpyro" else 0  # numpy's, not JAX's
    assert arrays(found.profile, "post-processing") - depth == pytest.approx(ran.live[1], rel=0.02)


def test_a_process_in_which_jax_runs_is_not_forked(tmp_path: Path) -> None:
    """The fork would wait for threads that only its parent has, until the compiler's time is over; the report says what is missing."""
    script = tmp_path / "model.py"
    script.write_text(POISSON + "    pm.sample(50, tune=5, chains=2, nuts_sampler='numpyro')\n")
    report = theanodiag.check(script, python=find("pymc_jax"), device="h100-80", stdout=2)
    assert any("JAX runs in the script's process" in s.reason for s in report.skipped), report.skipped
    assert report.script.status == "finished"
    assert report.sampling[0].profile.call.programs
    assert report.sampling[0].profile.call.single_operations


def test_the_gradient_is_among_what_a_single_chain_computes_one_by_one(tmp_path: Path) -> None:
    """Several chains are mapped over devices, and compute the density alone at their initial points."""
    lines = "    pm.sample(50, tune=5, chains={}, nuts_sampler='numpyro')\n"
    one, two = (check(tmp_path, "pymc_jax", lines.format(chains), POISSON).sampling[0].profile.call for chains in (1, 2))
    assert one.single_operations > two.single_operations > 0
