"""A covariance with an LKJ prior."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

with pm.Model():
    chol, corr, sds = pm.LKJCholeskyCov("chol", n=12, eta=2, sd_dist=pm.Exponential.dist(1, shape=12))
    mu = pm.Normal("mu", 0, 1, shape=12)
    pm.Deterministic("cov", chol @ chol.T)
    pm.MvNormal("y", mu, chol=chol, observed=rng.normal(size=(100, 12)))
    idata = pm.sample(1000, tune=100, chains=2, cores=1, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
