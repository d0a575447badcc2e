"""Ordered ratings of five steps by 40 raters, cut points ordered by a transform."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(37)
n = 500
rater = rng.integers(0, 40, size=n)
rating = rng.integers(0, 5, size=n)

with pm.Model():
    cuts = pm.Normal("cuts", np.array([-2.0, -1.0, 1.0, 2.0]), 1, shape=4, transform=pm.distributions.transforms.ordered)
    bias = pm.Normal("bias", 0, 1, shape=40)
    eta = pm.Deterministic("eta", bias[rater])
    pm.OrderedLogistic("rating", eta=eta, cutpoints=cuts, observed=rating)
    idata = pm.sample(
        1000, tune=1000, chains=2, cores=2, random_seed=37, progressbar=False, nuts={"max_treedepth": 3}, discard_tuned_samples=False
    )
