"""The same, but for what is not asked for."""

import numpy as np
import pymc as pm

x = np.linspace(0, 1, 20000)
with pm.Model():
    a = pm.Normal("a", 0, 1)
    pm.Deterministic("curve", a * x)
    pm.Deterministic("short", a * x[:2000])
    idata = pm.sample(3000, tune=100, chains=2, cores=1, var_names=["a", "short"], random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
