"""Zero-inflated counts."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

X = rng.normal(size=(1000, 2))
with pm.Model():
    b = pm.Normal("b", 0, 1, shape=2)
    psi = pm.Beta("psi", 2, 2)
    mu = pm.Deterministic("mu", pm.math.exp(X @ b))
    pm.ZeroInflatedPoisson("y", psi=psi, mu=mu, observed=rng.poisson(0.7, size=1000))
    idata = pm.sample(3000, tune=200, chains=2, cores=2, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
