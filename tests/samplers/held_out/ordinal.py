"""Ordered answers of 500 people on five cutpoints, with the probability of each answer."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(15)
X = rng.normal(size=(500, 3))
y = rng.integers(0, 6, size=500)

with pm.Model():
    beta = pm.Normal("beta", 0, 1, shape=3)
    cut = pm.Normal("cut", np.linspace(-2, 2, 5), 1, transform=pm.distributions.transforms.ordered, initval=np.linspace(-2, 2, 5))
    eta = pm.Deterministic("eta", pm.math.dot(X, beta))
    pm.OrderedLogistic("y", eta=eta, cutpoints=cut, observed=y)
    idata = pm.sample(1500, tune=300, chains=2, cores=1, random_seed=15, progressbar=False, nuts={"max_treedepth": 4})
