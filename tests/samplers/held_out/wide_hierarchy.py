"""A hierarchy with 10 000 deterministic values of each draw."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(19)
unit = np.repeat(np.arange(100), 100)

with pm.Model(coords={"unit": np.arange(100), "row": np.arange(10_000)}):
    mu = pm.Normal("mu", 0, 1)
    tau = pm.HalfCauchy("tau", 1)
    theta = pm.Normal("theta", mu, tau, dims="unit")
    pm.Deterministic("fitted", theta[unit], dims="row")
    pm.Normal("y", theta[unit], 1, observed=rng.normal(size=10_000), dims="row")
    idata = pm.sample(400, tune=200, chains=2, cores=2, random_seed=19, progressbar=False, nuts={"max_treedepth": 4})
