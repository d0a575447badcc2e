"""`compare --density` says which draws of their traces two scripts read otherwise: PyMC3 3.11.5 beside ports for PyMC."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import interpreters
from theanodiag.comparison.densities import DensityComparison
from theanodiag.comparison.draws_read import differences, sampled
from theanodiag.jobs.compare import compare_densities
from theanodiag.requests import DensityRequest

SCRIPT = """
import numpy as np
import pymc3 as pm

with pm.Model() as first:
    x = pm.Normal("x", 0, sd=2, shape=3)
    pm.Normal("y", x, sd=1, observed=np.arange(3.0))
    trace = pm.sample(1000, tune=500, chains=2, cores=1)
    predicted = pm.sample_posterior_predictive(trace, samples=40)
burned = trace[500:]
rest = [trace.get_values("x", burn=100, thin=2), trace["x", 300:], trace["x"][200:], trace.x[:, 1], trace[7], trace.point(-1)]
means = [point["x"].mean() for point in burned]
again = burned[100:]["x"].mean(axis=0)
assert predicted["y"].shape == (40, 3) and again.shape == (3,), (predicted["y"].shape, again.shape)
with pm.Model() as second:
    z = pm.Normal("z", trace["x"].mean(), sd=trace["x"].std())
    pm.Normal("w", z, 1, observed=trace["x"][:4, 0])
    data = pm.sample(200, tune=100, chains=2, cores=1, return_inferencedata=True)
later = data.posterior.sel(draw=slice(150, None))
array = data.posterior["z"].values[:, 150:]
kept = np.arange(2000) >= 600
masked = trace["x"][kept]
"""
PORT = SCRIPT.replace("import pymc3 as pm", "from theanodiag.compat import pymc3 as pm")
PLANTED = {
    "trace[500:]": "trace",
    "burn=100, ": "",
    "thin=2": "thin=3",
    '"x", 300:': '"x", 30:',
    '["x"][200:]': '["x"][201:]',
    "[:, 1]": "[:, 2]",
    "trace[7]": "trace[8]",
    "point(-1)": "point(-2)",
    "burned[100:]": "burned[101:]",
    "slice(150": "slice(149",
    "values[:, 150:]": "values",
    ">= 600": ">= 500",
}
"""Parts of the script -> other draws."""


def compared(new: str, folder: Path, against: str) -> DensityComparison:
    """The script beside another."""
    for name, source in (("old.py", SCRIPT), ("new.py", new)):
        (folder / name).write_text(source, encoding="utf-8")
    request = DensityRequest(
        path=str(folder / "old.py"), other=str(folder / "new.py"), python=interpreters.find("pymc3"), against=interpreters.find(against)
    )
    return compare_densities(request, stdout=2)


@pytest.mark.parametrize("name", interpreters.first(("pymc",), ("pymc", "pymc5")))
def test_a_port_reads_the_same_draws(name: str, tmp_path: Path) -> None:
    """Draws of both runs are the same, too, so that a model that is made of them is."""
    found = compared(PORT, tmp_path, name)
    assert (found.old.failed, found.new.failed) == ((), ())
    assert (found.draws, found.notes, found.equal) == ((), (), True)
    assert [m.equal for m in found.models] == [True, True]


def test_each_planted_difference_is_told(tmp_path: Path) -> None:
    """All at once: each range of the old script is at no line of the new one."""
    new = PORT
    for old, other in PLANTED.items():
        assert new.count(old) == 1, old
        new = new.replace(old, other)
    found = compared(new.replace("sample(200, tune=100", "sample(300, tune=150"), tmp_path, "pymc")
    gone = [one for one in found.draws if one.endswith("at no line of the new one")]
    assert len(gone) == len(PLANTED) - 1, found.draws  # burn and thin are of one call
    assert any(one.startswith("draws [500:] of each chain: at line 10 of the old script, ") for one in gone), gone
    assert found.notes == ("line 18 samples 300 draws after 150 tuning steps, line 18 of the old script 200 draws after 100 tuning steps",)
    assert (found.same_models, found.equal) == (True, False)


def test_lines_are_counted() -> None:
    """A range that is read at one line less differs; what a failed statement did not read is no certain difference."""
    one = {"reads": [["[5:] of each chain", "a.py", 3], ["[5:] of each chain", "a.py", 4]], "sampled": [[5, 1, "a.py", 2]], "failed": []}
    other = {"reads": [["[5:] of each chain", "b.py", 9]], "sampled": [], "failed": [["b.py", 10, "ValueError"]]}
    said = "draws [5:] of each chain: at line 3, line 4 of the old script, at line 9 of the new one"
    assert differences(one, one) == ((), ())
    assert differences(one, {**other, "failed": []}) == ((said,), ())
    assert differences(one, other) == ((), (said + "; perhaps because statements failed",))
    assert sampled(one, other) == ()
