"""Varying intercepts and slopes of 40 groups with an LKJ prior on their correlation."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(16)
group = rng.integers(0, 40, size=800)
x = rng.normal(size=800)
y = rng.normal(size=800)

with pm.Model(coords={"group": np.arange(40), "effect": ["intercept", "slope"]}):
    chol, corr, sds = pm.LKJCholeskyCov("chol", n=2, eta=2, sd_dist=pm.Exponential.dist(1, shape=2))
    mean = pm.Normal("mean", 0, 1, dims="effect")
    z = pm.Normal("z", 0, 1, dims=("effect", "group"))
    effects = pm.Deterministic("effects", mean[:, None] + chol @ z, dims=("effect", "group"))
    s = pm.HalfNormal("s", 1)
    pm.Normal("y", effects[0][group] + effects[1][group] * x, s, observed=y)
    idata = pm.sample(2500, tune=500, chains=4, cores=2, random_seed=16, progressbar=False, nuts={"max_treedepth": 4})
