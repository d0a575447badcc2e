"""Visits to a clinic with too many zeros: zero-inflated negative binomial regression, means of 600 persons kept of each draw."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(57)
x = rng.normal(size=(600, 6))
visits = rng.negative_binomial(2, 0.4, size=600) * rng.integers(0, 2, size=600)

with pm.Model(coords={"person": np.arange(600), "cause": list("abcdef")}):
    slope = pm.Normal("slope", 0, 0.5, dims="cause")
    mean = pm.Deterministic("mean", pm.math.exp(pm.Normal("level", 0, 1) + x @ slope), dims="person")
    present = pm.Beta("present", 2, 2)
    pm.ZeroInflatedNegativeBinomial("visits", psi=present, mu=mean, alpha=pm.HalfNormal("alpha", 2), observed=visits, dims="person")
    idata = pm.sample(1200, tune=400, chains=3, cores=2, random_seed=57, progressbar=False, nuts={"max_treedepth": 3})
