"""Survival times with covariates."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

X = rng.normal(size=(1000, 4))
with pm.Model():
    b = pm.Normal("b", 0, 1, shape=4)
    k = pm.HalfNormal("k", 1)
    scale = pm.Deterministic("scale", pm.math.exp(X @ b))
    pm.Weibull("t", alpha=k + 0.5, beta=scale, observed=rng.weibull(1.5, size=1000) + 0.01)
    idata = pm.sample(3000, tune=200, chains=2, cores=1, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
