"""Counts of 365 days with an effect of each weekday and month."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(41)
day = np.arange(365)
counts = rng.poisson(8, size=365)

with pm.Model():
    weekday = pm.Normal("weekday", 0, 1, shape=7)
    month = pm.Normal("month", 0, 1, shape=12)
    alpha = pm.Exponential("alpha", 1)
    mu = pm.Deterministic("mu", pm.math.exp(2 + weekday[day % 7] + month[day * 12 // 365]))
    pm.NegativeBinomial("counts", mu=mu, alpha=alpha, observed=counts)
    idata = pm.sample(1500, tune=300, chains=2, cores=1, random_seed=41, progressbar=False, nuts={"max_treedepth": 3})
