"""Logistic regression in two processes."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

X = rng.normal(size=(1500, 5))
with pm.Model():
    b = pm.Normal("b", 0, 2, shape=5)
    p = pm.Deterministic("p", pm.math.sigmoid(X @ b))
    pm.Bernoulli("y", p, observed=rng.integers(0, 2, size=1500))
    idata = pm.sample(4000, tune=300, chains=2, cores=2, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
