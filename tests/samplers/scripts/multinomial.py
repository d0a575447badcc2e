"""Shares of 50 parties in 20 elections."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

with pm.Model():
    p = pm.Dirichlet("p", np.ones((20, 50)))
    pm.Multinomial("y", n=1000, p=p, observed=rng.multinomial(1000, np.ones(50) / 50, size=20))
    idata = pm.sample(2000, tune=200, chains=2, cores=2, compute_convergence_checks=False, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
