"""Metropolis instead of NUTS."""

import numpy as np
import pymc as pm

x = np.linspace(0, 1, 1000)
with pm.Model():
    a = pm.Normal("a", 0, 1, shape=4)
    pm.Deterministic("curve", a.sum() * x)
    idata = pm.sample(4000, tune=100, chains=2, cores=1, step=pm.Metropolis(), random_seed=1, progressbar=False)
