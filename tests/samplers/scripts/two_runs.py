"""Two runs, the first result still held while the second samples."""

import numpy as np
import pymc as pm

x = np.linspace(0, 1, 5000)
with pm.Model():
    a = pm.Normal("a", 0, 1)
    pm.Deterministic("curve", a * x)
    first = pm.sample(1000, tune=100, chains=2, cores=1, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
    second = pm.sample(1000, tune=100, chains=2, cores=1, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
