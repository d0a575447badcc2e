"""Stochastic volatility of 500 days with Student's errors, log-volatility as a random walk."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(54)
returns = rng.standard_t(5, size=500) / 100

with pm.Model(coords={"day": np.arange(500)}):
    step = pm.Exponential("step", 10)
    walk = pm.GaussianRandomWalk("walk", mu=0, sigma=step, init_dist=pm.Normal.dist(0, 10), dims="day")
    freedom = pm.Exponential("freedom", 0.1)
    scale = pm.Deterministic("scale", pm.math.exp(-walk), dims="day")
    pm.StudentT("returns", nu=freedom + 2, lam=scale, observed=returns, dims="day")
    idata = pm.sample(1500, tune=500, chains=2, cores=2, random_seed=54, progressbar=False, nuts={"max_treedepth": 3})
