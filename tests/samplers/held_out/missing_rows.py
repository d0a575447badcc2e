"""A regression whose response lacks 60 of 240 values, which are imputed."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(40)
x = rng.normal(size=(240, 3))
y = x.sum(axis=1) + rng.normal(size=240)
y[::4] = np.nan

with pm.Model():
    b = pm.Normal("b", 0, 1, shape=3)
    s = pm.HalfNormal("s", 1)
    pm.Normal("y", pm.math.dot(x, b), s, observed=np.ma.masked_invalid(y))
    idata = pm.sample(2000, tune=500, chains=2, cores=2, random_seed=40, progressbar=False, nuts={"max_treedepth": 3})
