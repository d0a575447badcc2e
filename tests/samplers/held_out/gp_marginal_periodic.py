"""A Gaussian process with its function integrated out; its prior mean and noise are kept as deterministic variables of each draw."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(31)
x = np.linspace(0, 4, 40)[:, None]
y = np.sin(3 * x[:, 0]) + 0.2 * rng.normal(size=40)

with pm.Model():
    length = pm.Gamma("length", 2, 1)
    height = pm.HalfNormal("height", 2)
    noise = pm.HalfNormal("noise", 1)
    gp = pm.gp.Marginal(cov_func=height**2 * pm.gp.cov.Matern52(1, ls=length))
    gp.marginal_likelihood("y", X=x, y=y, sigma=noise)
    pm.Deterministic("prior_diagonal", height**2 * np.ones(400))
    idata = pm.sample(2500, tune=300, chains=2, cores=2, random_seed=31, progressbar=False, nuts={"max_treedepth": 3})
