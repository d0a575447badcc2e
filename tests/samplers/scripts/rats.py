"""Tumours in 71 groups of rats: beta-binomial."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

n = rng.integers(10, 50, size=71)
with pm.Model(coords={"group": np.arange(71)}):
    a = pm.Exponential("a", 1)
    b = pm.Exponential("b", 1)
    theta = pm.Beta("theta", a + 1, b + 1, dims="group")
    pm.Binomial("y", n=n, p=theta, observed=rng.binomial(n, 0.2), dims="group")
    idata = pm.sample(8000, tune=300, chains=2, cores=2, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
