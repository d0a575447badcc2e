"""A hierarchy whose predictions for a grid of 4000 cells are kept of each draw."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(38)
group = rng.integers(0, 20, size=200)
grid = np.linspace(-1, 1, 4000)

with pm.Model():
    spread = pm.HalfNormal("spread", 1)
    offset = pm.Normal("offset", 0, 1, shape=20)
    a = pm.Deterministic("a", spread * offset)
    b = pm.Normal("b", 0, 1)
    pm.Normal("y", a[group], 1, observed=rng.normal(size=200))
    pm.Deterministic("grid", a.mean() + b * grid)
    idata = pm.sample(700, tune=300, chains=2, cores=1, random_seed=38, progressbar=False, nuts={"max_treedepth": 3})
