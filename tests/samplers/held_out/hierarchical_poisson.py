"""Counts of 200 stores over 10 weeks, partially pooled, with the log-likelihood in the same call."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(14)
store = np.repeat(np.arange(200), 10)
counts = rng.poisson(5, size=2000)

with pm.Model(coords={"store": np.arange(200)}):
    mu = pm.Normal("mu", 1, 1)
    sd = pm.HalfNormal("sd", 1)
    offset = pm.Normal("offset", 0, 1, dims="store")
    rate = pm.Deterministic("rate", pm.math.exp(mu + sd * offset), dims="store")
    pm.Poisson("counts", rate[store], observed=counts)
    idata = pm.sample(
        1000,
        tune=500,
        chains=4,
        cores=2,
        random_seed=14,
        progressbar=False,
        nuts={"max_treedepth": 4},
        idata_kwargs={"log_likelihood": True},
    )  # fmt: skip
