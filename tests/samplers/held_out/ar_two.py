"""An autoregression of second order over 600 steps with a latent level, and dims of time."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(13)
y = np.cumsum(rng.normal(size=600)) * 0.1

with pm.Model(coords={"lag": [1, 2], "time": np.arange(600)}):
    rho = pm.Normal("rho", 0, 0.5, dims="lag")
    s = pm.HalfNormal("s", 1)
    level = pm.AR("level", rho=rho, ar_order=2, sigma=s, init_dist=pm.Normal.dist(0, 1, shape=2), dims="time")
    pm.Normal("y", level, 0.5, observed=y, dims="time")
    idata = pm.sample(1200, tune=300, chains=3, cores=2, random_seed=13, progressbar=False, nuts={"max_treedepth": 4})
