"""A regression in dimensions that have names (`pymc.dims`)."""

import numpy as np
import pymc as pm
import pymc.dims as pmd

rng = np.random.default_rng(37)

with pm.Model(coords={"channel": ["a", "b", "c", "d"], "obs": np.arange(900)}):
    x = pmd.Data("x", rng.normal(size=(900, 4)), dims=("obs", "channel"))
    b = pmd.Normal("b", 0, 1, dims=("channel",))
    s = pmd.HalfNormal("s", 1)
    mu = pmd.Deterministic("mu", (x * b).sum("channel"))
    pmd.Normal("y", mu, s, observed=pmd.as_xtensor(rng.normal(size=900), dims=("obs",)))
    idata = pm.sample(1200, tune=300, chains=2, cores=1, random_seed=37, progressbar=False, nuts={"max_treedepth": 4})
