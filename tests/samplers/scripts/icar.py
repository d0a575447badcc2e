"""Spatial effects on a ring of 300 places."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

n = 300
W = np.zeros((n, n))
W[np.arange(n), (np.arange(n) + 1) % n] = 1
W = W + W.T
with pm.Model():
    phi = pm.ICAR("phi", W=W)
    s = pm.HalfNormal("s", 1)
    mu = pm.Deterministic("mu", s * phi)
    pm.Poisson("y", pm.math.exp(mu), observed=rng.poisson(1, size=n))
    idata = pm.sample(3000, tune=200, chains=2, cores=1, compute_convergence_checks=False, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
