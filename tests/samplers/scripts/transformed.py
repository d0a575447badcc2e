"""Transformed variables in the result, too."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

with pm.Model():
    s = pm.HalfNormal("s", 1, shape=500)
    pm.Normal("y", 0, s, observed=rng.normal(size=500))
    idata = pm.sample(3000, tune=100, chains=2, cores=1, idata_kwargs={"include_transformed": True}, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
