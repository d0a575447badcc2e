"""A mixture of three normals and the weight of each point."""

import numpy as np
import pymc as pm
import pytensor.tensor as pt

rng = np.random.default_rng(1)

y = rng.normal(size=400)
with pm.Model():
    w = pm.Dirichlet("w", np.ones(3))
    mu = pm.Normal("mu", 0, 5, shape=3, transform=pm.distributions.transforms.ordered, initval=[-1, 0, 1])
    s = pm.HalfNormal("s", 1, shape=3)
    pm.Deterministic("weight", pt.log(w) - 0.5 * ((y[:, None] - mu) / s) ** 2)
    pm.NormalMixture("y", w, mu, s, observed=y)
    idata = pm.sample(4000, tune=300, chains=2, cores=1, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
