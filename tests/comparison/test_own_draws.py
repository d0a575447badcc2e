"""`compare --density` gives the second script the numbers that the first one drew from distributions: data of models come from them."""

from __future__ import annotations

from pathlib import Path

from tests import interpreters
from theanodiag.jobs.compare import compare_densities
from theanodiag.requests import DensityRequest

SCRIPT = """
import numpy as np
import pymc3 as pm

shares = pm.Beta.dist(mu=0.9, sd=0.1, shape=3).random()
more = pm.Normal.dist(3, 1).random(size=2)
noise = np.random.normal(size=2)
with pm.Model() as model:
    a = pm.HalfNormal("a", sd=10.0, shape=3)
    start = a.random()
    pm.Beta("shares", alpha=a, beta=1.0, observed=shares)
    pm.Normal("more", 0, a[0], observed=np.concatenate([more, noise, start]))
"""


def test_data_that_a_script_draws_are_the_same_in_both_runs(tmp_path: Path) -> None:
    """By `.random()` of a distribution or of a variable; what NumPy draws afterwards is the same too."""
    ported = SCRIPT.replace("import pymc3 as pm", "from theanodiag.compat import pymc3 as pm")
    for name, source in (("old.py", SCRIPT), ("new.py", ported)):
        (tmp_path / name).write_text(source, encoding="utf-8")
    python, against = interpreters.find("pymc3"), interpreters.find("pymc")
    request = DensityRequest(path=str(tmp_path / "old.py"), other=str(tmp_path / "new.py"), python=python, against=against)
    found = compare_densities(request, stdout=2)
    assert (found.equal, found.models[0].points) == (True, 21), found
