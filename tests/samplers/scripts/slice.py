"""Slice sampling, in two processes."""

import numpy as np
import pymc as pm

x = np.linspace(0, 1, 1500)
with pm.Model():
    a = pm.Normal("a", 0, 1, shape=2)
    pm.Deterministic("curve", a.sum() * x)
    idata = pm.sample(3000, tune=100, chains=2, cores=2, step=pm.Slice(), random_seed=1, progressbar=False)
