"""Stein variational gradient descent with 400 particles of 2000 values."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

with pm.Model():
    b = pm.Normal("b", 0, 1, shape=2000)
    pm.Normal("y", b, 1, observed=rng.normal(size=2000))
    approx = pm.fit(20, method="svgd", inf_kwargs={"n_particles": 400}, progressbar=False, random_seed=1)
    idata = approx.sample(1000, random_seed=1)
