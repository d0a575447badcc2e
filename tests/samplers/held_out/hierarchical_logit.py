"""Logistic regression of 800 answers with slopes by 30 regions, not centred; the probabilities kept of each draw, with a log-likelihood."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(61)
region = rng.integers(0, 30, size=800)
x = rng.normal(size=800)
answer = rng.integers(0, 2, size=800)

with pm.Model(coords={"region": np.arange(30), "person": np.arange(800)}):
    scale = pm.HalfNormal("scale", 1, shape=2)
    raw = pm.Normal("raw", 0, 1, shape=(2, 30))
    by_region = pm.Deterministic("by_region", scale[:, None] * raw)
    chance = pm.Deterministic("chance", pm.math.sigmoid(by_region[0][region] + by_region[1][region] * x), dims="person")
    pm.Bernoulli("answer", p=chance, observed=answer, dims="person")
    idata = pm.sample(
        1000,
        tune=400,
        chains=3,
        cores=2,
        random_seed=61,
        progressbar=False,
        nuts={"max_treedepth": 3},
        idata_kwargs={"log_likelihood": True},
    )
