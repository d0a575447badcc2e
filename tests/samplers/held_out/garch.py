"""GARCH(1, 1) over 300 returns, and a random walk beside it: scans in the gradient."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(22)

with pm.Model():
    omega = pm.HalfNormal("omega", 0.5)
    alpha = pm.Beta("alpha", 2, 5)
    beta = pm.Beta("beta", 5, 5)
    pm.GARCH11("r", omega=omega, alpha_1=alpha, beta_1=beta, initial_vol=1.0, observed=rng.normal(size=300))
    walk = pm.GaussianRandomWalk("walk", sigma=0.1, init_dist=pm.Normal.dist(0, 1), steps=499)
    pm.Normal("y", walk, 1, observed=rng.normal(size=500))
    idata = pm.sample(1500, tune=300, chains=2, cores=2, random_seed=22, progressbar=False, nuts={"max_treedepth": 4})
