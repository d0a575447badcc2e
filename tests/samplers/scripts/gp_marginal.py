"""A Gaussian process, marginalised, with its covariance as a Deterministic."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

x = np.linspace(0, 1, 40)[:, None]
with pm.Model():
    ell = pm.Gamma("ell", 2, 1)
    eta = pm.HalfNormal("eta", 1)
    cov = eta**2 * pm.gp.cov.Matern52(1, ell)
    gp = pm.gp.Marginal(cov_func=cov)
    pm.Deterministic("K", cov(x))
    gp.marginal_likelihood("y", X=x, y=rng.normal(size=40), sigma=pm.HalfNormal("s", 1))
    idata = pm.sample(1000, tune=100, chains=2, cores=1, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
