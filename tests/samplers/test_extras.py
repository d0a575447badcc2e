"""Fits of pymc-extras are caught before they run, and give what was said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interpreters import python
from tests.report.conftest import render

from ..schemas import flaws
from .test_pymc import MIB, check
from .test_pymc import MODEL as PLAIN
from .test_pymc_chains import stage

MODEL = PLAIN.replace("import pymc as pm\n", "import pymc as pm\nimport pymc_extras as pmx\n").replace("np.zeros(7)", "np.arange(7.0)")
"""The model of the tests of PyMC's own samplers, with other data."""
FITS = {
    "laplace": "method='laplace', draws=700", "dadvi": "method='dadvi', n_draws=800, options={'maxiter': 60}",
    "pathfinder": "method='pathfinder', num_draws=900, num_draws_per_path=600, parallel=False",
}  # fmt: skip
SIZES = """
for name, group in (("posterior", x.posterior), ("unconstrained", getattr(x, "unconstrained_posterior", None))):
    if group is not None and "draw" in group.sizes:
        print(name, group.sizes["chain"], group.sizes["draw"], sum(v.nbytes for v in group.data_vars.values()))
print("covariance", x.fit["covariance_matrix"].nbytes if "fit" in x.children and "covariance_matrix" in x.fit else 0)
"""


@pytest.mark.parametrize("method", sorted(FITS))
def test_a_fit_gives_what_was_said(tmp_path: Path, method: str) -> None:
    """The arrays of the result, in bytes, are those of the real one; the verdict is not "at least"."""
    lines = f"    x = pmx.fit({FITS[method]}, random_seed=1)\n"
    report = check(tmp_path, "pymc_extras", lines, MODEL)
    assert report.script.status == "finished", report.script.traceback
    (found,) = report.sampling
    assert not found.profile.call.uncounted
    assert [s for s in report.skipped if "pymc_extras" in s.what] == []
    assert flaws(json.loads(report.to_json())) == []
    assert f"pymc_extras.fit_{method} at" in render(report)
    result = stage(found.profile, "result")
    script = tmp_path / "real.py"
    script.write_text(MODEL + lines + SIZES)
    done = python("pymc_extras", "-W", "ignore", str(script), timeout=600)
    assert done.returncode == 0, done.stderr
    real = {words[0]: [int(n) for n in words[1:]] for words in map(str.split, done.stdout.splitlines()) if words and words[0] in RESULTS}
    chains, draws, size = real["posterior"]
    assert (found.profile.call.chains, found.profile.call.draws) == (chains, draws)
    assert result["result: draws"] == size
    assert result.get("result: draws on the unconstrained scale", 0) == real.get("unconstrained", [0])[-1]
    assert result.get("result: inverse Hessian", 0) == real["covariance"][0]


RESULTS = ("posterior", "unconstrained", "covariance")


def test_the_draws_of_all_paths_are_joined_before_some_are_chosen(tmp_path: Path) -> None:
    """Paths run in worker processes, each of which compiles; then the draws of all of them are there three times."""
    report = check(
        tmp_path,
        "pymc_extras",
        "    x = pmx.fit(method='pathfinder', num_paths=3, num_draws=900, num_draws_per_path=60000, cores=2)\n",
        MODEL,
    )
    assert report.script.status == "finished", report.script.traceback
    (found,) = report.sampling
    of_all = 3 * 60000 * 4 * 8
    paths, choosing = (stage(found.profile, name) for name in ("paths", "choosing draws"))
    assert paths["draws of all paths"] == of_all
    assert paths["functions while they are compiled"] > 2 * 50 * MIB
    assert paths["function: path"] >= 2 * 2 * 60000 * 4 * 8  # in each worker the draws, and the normal numbers that they are made of
    assert choosing["draws of all paths, stacked and joined"] == 2 * of_all
    assert stage(found.profile, "deterministic variables")["deterministic variables, computed again"] == 900 * 50 * 8
    assert {f.name for f in report.functions} >= {"path", "results", "deterministics"}


def test_draws_one_by_one_take_no_memory_here(tmp_path: Path) -> None:
    """`fit_dadvi` fills arrays of all draws: a million of 54 numbers would be 412 MiB in the run that computes nothing."""
    measured = "import resource\nassert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024\n"
    before = "    import resource\n    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
    report = check(tmp_path, "pymc_extras", before + "    pmx.fit(method='dadvi', n_draws=1_000_000)\n" + measured, MODEL)
    assert report.script.status == "finished", report.script.traceback
    assert stage(report.sampling[0].profile, "drawing")["result: draws"] == 1_000_000 * (3 + 1 + 50) * 8
