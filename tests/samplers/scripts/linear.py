"""A line with its mean as a Deterministic."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

x = np.linspace(0, 1, 2000)
with pm.Model():
    a = pm.Normal("a", 0, 5)
    b = pm.Normal("b", 0, 5)
    s = pm.HalfNormal("s", 1)
    mu = pm.Deterministic("mu", a + b * x)
    pm.Normal("y", mu, s, observed=2 * x + rng.normal(size=2000))
    idata = pm.sample(3000, tune=300, chains=2, cores=1, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
