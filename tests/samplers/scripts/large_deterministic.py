"""One Deterministic of 20 000 elements, four chains."""

import numpy as np
import pymc as pm

x = np.linspace(0, 1, 20000)
with pm.Model():
    a = pm.Normal("a", 0, 1)
    pm.Deterministic("curve", a * x)
    idata = pm.sample(250, tune=100, chains=4, cores=2, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
