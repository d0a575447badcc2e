"""One chain: nothing to check."""

import numpy as np
import pymc as pm

x = np.linspace(0, 1, 4000)
with pm.Model():
    a = pm.Normal("a", 0, 1)
    pm.Deterministic("curve", a * x)
    idata = pm.sample(3000, tune=100, chains=1, cores=1, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
