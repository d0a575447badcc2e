"""Ordered logistic regression: five ratings."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

with pm.Model():
    b = pm.Normal("b", 0, 1)
    cut = pm.Normal("cut", 0, 2, shape=4, transform=pm.distributions.transforms.ordered, initval=np.array([-2, -1, 1, 2.0]))
    eta = pm.Deterministic("eta", b * rng.normal(size=800))
    pm.OrderedLogistic("y", eta=eta, cutpoints=cut, compute_p=False, observed=rng.integers(0, 5, size=800))
    idata = pm.sample(4000, tune=200, chains=2, cores=1, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
