"""Zero-inflated negative binomial counts with a regression on both parts."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(18)
X = rng.normal(size=(700, 4))
y = rng.poisson(2, size=700) * rng.integers(0, 2, size=700)

with pm.Model():
    b = pm.Normal("b", 0, 1, shape=4)
    c = pm.Normal("c", 0, 1, shape=4)
    alpha = pm.Exponential("alpha", 0.5)
    mu = pm.Deterministic("mu", pm.math.exp(X @ b))
    psi = pm.Deterministic("psi", pm.math.invlogit(X @ c))
    pm.ZeroInflatedNegativeBinomial("y", psi=psi, mu=mu, alpha=alpha, observed=y)
    idata = pm.sample(1500, tune=400, chains=2, cores=1, random_seed=18, progressbar=False, nuts={"max_treedepth": 4})
