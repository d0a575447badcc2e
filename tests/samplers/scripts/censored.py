"""Censored regression."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

x = np.linspace(0, 1, 1000)
y = np.clip(x + rng.normal(size=1000), -1, 1)
with pm.Model():
    a = pm.Normal("a", 0, 1)
    b = pm.Normal("b", 0, 1)
    mu = pm.Deterministic("mu", a + b * x)
    pm.Censored("y", pm.Normal.dist(mu, 1), lower=-1, upper=1, observed=y)
    idata = pm.sample(3000, tune=200, chains=2, cores=2, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
