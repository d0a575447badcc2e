"""Survival with censored times and a frailty of each of 60 clinics."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(36)
n = 300
clinic = rng.integers(0, 60, size=n)
time = rng.weibull(1.5, size=n) * 10
seen = rng.integers(0, 2, size=n).astype(bool)
upper = np.where(seen, np.inf, time)

with pm.Model():
    shape = pm.HalfNormal("shape", 2)
    scale = pm.HalfNormal("scale", 1)
    frailty = pm.Normal("frailty", 0, scale, shape=60)
    rate = pm.Deterministic("rate", pm.math.exp(2 + frailty[clinic]))
    pm.Censored("time", pm.Weibull.dist(alpha=shape + 0.1, beta=rate), lower=None, upper=upper, observed=time)
    idata = pm.sample(1200, tune=400, chains=4, cores=2, random_seed=36, progressbar=False, nuts={"max_treedepth": 3})
