"""A latent AR(2) of 500 steps."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

with pm.Model():
    rho = pm.Normal("rho", 0, 0.2, shape=2)
    s = pm.HalfNormal("s", 1)
    f = pm.AR("f", rho=rho, sigma=s, init_dist=pm.Normal.dist(0, 1), shape=500)
    pm.Normal("y", f, 1, observed=rng.normal(size=500))
    idata = pm.sample(3000, tune=200, chains=2, cores=1, compute_convergence_checks=False, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
