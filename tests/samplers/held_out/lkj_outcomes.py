"""Six outcomes with a covariance by LKJ: Cholesky factor, correlations and scales are kept of each draw."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(33)
y = rng.normal(size=(80, 6))

with pm.Model():
    chol, corr, scales = pm.LKJCholeskyCov("chol", n=6, eta=2, sd_dist=pm.Exponential.dist(1), compute_corr=True)
    mean = pm.Normal("mean", 0, 5, shape=6)
    pm.Deterministic("covariance", pm.math.dot(chol, chol.T))
    pm.MvNormal("y", mu=mean, chol=chol, observed=y)
    idata = pm.sample(6000, tune=500, chains=2, cores=1, random_seed=33, progressbar=False, nuts={"max_treedepth": 3})
