"""A vector autoregression of four series and two lags over 150 quarters, with fitted values kept of each draw."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(64)
y = rng.normal(size=(152, 4)).cumsum(axis=0) / 5
before = np.hstack([y[1:-1], y[:-2]])

with pm.Model():
    weights = pm.Normal("weights", 0, 0.5, shape=(8, 4))
    level = pm.Normal("level", 0, 1, shape=4)
    fitted = pm.Deterministic("fitted", level + before @ weights)
    noise = pm.HalfNormal("noise", 1, shape=4)
    pm.StudentT("y", nu=5, mu=fitted, sigma=noise, observed=y[2:])
    idata = pm.sample(1800, tune=600, chains=2, cores=2, random_seed=64, progressbar=False, nuts={"max_treedepth": 3})
