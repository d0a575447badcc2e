"""Stochastic volatility of 800 returns."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

with pm.Model():
    step = pm.Exponential("step", 10)
    nu = pm.Exponential("nu", 0.1)
    h = pm.GaussianRandomWalk("h", sigma=step, init_dist=pm.Normal.dist(0, 1), shape=800)
    v = pm.Deterministic("v", pm.math.exp(2 * h))
    pm.StudentT("y", nu=nu + 2, lam=1 / v, observed=rng.normal(size=800))
    idata = pm.sample(2000, tune=200, chains=2, cores=1, compute_convergence_checks=False, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
