"""The code on the page about killed jobs, which computes LOO in parts, gives what ArviZ gives on the whole."""

from __future__ import annotations

import re
from pathlib import Path

from tests.interpreters import ROOT, python

BEFORE = """
import arviz as az
import numpy as np
import pymc as pm

rows = 70
with pm.Model() as model:
    mu, s = pm.Normal("mu", 0, 1), pm.HalfNormal("s", 2)
    pm.Normal("y", mu, s, observed=np.random.default_rng(1).normal(1, 2, rows))
    idata = pm.sample(250, tune=200, chains=2, cores=1, progressbar=False, random_seed=1)
"""
AFTER = """
with model:
    pm.compute_log_likelihood(idata, progressbar=False)
whole = az.loo(idata, pointwise=True)
assert abs(whole.elpd_i.values - elpd).max() < 1e-9
assert abs(whole.elpd - elpd.sum()) < 1e-9
assert abs(whole.se - (rows * elpd.var(ddof=1)) ** 0.5) < 1e-9
"""


def test_parts_give_the_whole(tmp_path: Path) -> None:
    """Blocks that do not divide the number of draws or of rows."""
    page = (ROOT / "docs/how-to/pymc-killed.md").read_text(encoding="utf-8")
    (code,) = re.findall("```python\n(.*?)```", page, re.DOTALL)
    assert code.count("1000") == 3
    script = tmp_path / "loo.py"
    script.write_text("import os\nos.chdir(os.path.dirname(__file__))\n" + BEFORE + code.replace("1000", "40") + AFTER)
    done = python("pymc", "-W", "ignore", str(script), timeout=600)
    assert done.returncode == 0, done.stderr
