"""Partial pooling of 85 counties, three chains in two processes."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

county = rng.integers(0, 85, size=900)
floor = rng.integers(0, 2, size=900)
with pm.Model(coords={"county": np.arange(85)}):
    mu = pm.Normal("mu", 0, 2)
    tau = pm.HalfNormal("tau", 1)
    z = pm.Normal("z", 0, 1, dims="county")
    a = pm.Deterministic("a", mu + tau * z, dims="county")
    b = pm.Normal("b", 0, 1)
    s = pm.HalfNormal("s", 1)
    theta = pm.Deterministic("theta", a[county] + b * floor)
    pm.Normal("y", theta, s, observed=rng.normal(size=900))
    idata = pm.sample(4000, tune=300, chains=3, cores=2, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
