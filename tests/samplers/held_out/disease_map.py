"""Counts of a disease in 150 areas (Besag, York and Mollie): a spatial effect, one without neighbours, and the relative risk."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(53)
side, across = 10, 15
n = side * across
joined = np.zeros((n, n), dtype=int)
for area in range(n):
    if (area + 1) % across:
        joined[area, area + 1] = joined[area + 1, area] = 1
    if area + across < n:
        joined[area, area + across] = joined[area + across, area] = 1
expected = rng.uniform(5, 30, size=n)
cases = rng.poisson(expected)

with pm.Model(coords={"area": np.arange(n)}):
    share = pm.Beta("share", 0.5, 0.5)
    scale = pm.HalfNormal("scale", 1)
    alone = pm.Normal("alone", 0, 1, dims="area")
    spatial = pm.ICAR("spatial", W=joined, dims="area")
    mixture = pm.Deterministic("mixture", pm.math.sqrt(1 - share) * alone + pm.math.sqrt(share) * spatial, dims="area")
    risk = pm.Deterministic("risk", pm.math.exp(pm.Normal("level", 0, 1) + scale * mixture), dims="area")
    pm.Poisson("cases", expected * risk, observed=cases, dims="area")
    idata = pm.sample(2500, tune=1000, chains=2, cores=2, random_seed=53, progressbar=False, nuts={"max_treedepth": 3})
