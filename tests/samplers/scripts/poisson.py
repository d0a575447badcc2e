"""Poisson regression with its log-likelihood."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

X = rng.normal(size=(1200, 3))
with pm.Model():
    b = pm.Normal("b", 0, 1, shape=3)
    rate = pm.Deterministic("rate", pm.math.exp(X @ b))
    pm.Poisson("y", rate, observed=rng.poisson(1.0, size=1200))
    idata = pm.sample(3000, tune=300, chains=2, cores=1, idata_kwargs={"log_likelihood": True}, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
