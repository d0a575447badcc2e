"""A Gaussian random walk of 1000 steps, which is checked element by element."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

with pm.Model():
    s = pm.HalfNormal("s", 1)
    f = pm.GaussianRandomWalk("f", sigma=s, init_dist=pm.Normal.dist(0, 1), shape=1000)
    pm.Normal("y", f, 1, observed=rng.normal(size=1000).cumsum())
    idata = pm.sample(1500, tune=200, chains=2, cores=2, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
