"""A factor model: scores of 300 people on 2 factors, loadings of 12 tests."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(24)

with pm.Model(coords={"person": np.arange(300), "factor": [0, 1], "test": np.arange(12)}):
    loading = pm.Normal("loading", 0, 1, dims=("test", "factor"))
    score = pm.Normal("score", 0, 1, dims=("person", "factor"))
    s = pm.HalfNormal("s", 1, dims="test")
    pm.Normal("y", score @ loading.T, s, observed=rng.normal(size=(300, 12)), dims=("person", "test"))
    idata = pm.sample(1500, tune=300, chains=2, cores=2, random_seed=24, progressbar=False, nuts={"max_treedepth": 4})
