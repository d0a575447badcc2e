"""Bioassay of 25 substances at eight doses: slopes and intercepts by substance, the dose at which half die kept of each draw."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(58)
dose = np.linspace(-1, 1, 8)
died = rng.binomial(20, 0.5, size=(25, 8))

with pm.Model(coords={"substance": np.arange(25), "dose": dose}):
    level = pm.Normal("level", 0, pm.HalfNormal("level_scale", 1), dims="substance")
    slope = pm.LogNormal("slope", 1, 0.5, dims="substance")
    pm.Deterministic("half_dead", -level / slope, dims="substance")
    chance = pm.Deterministic("chance", pm.math.sigmoid(level[:, None] + slope[:, None] * dose), dims=("substance", "dose"))
    pm.Binomial("died", n=20, p=chance, observed=died, dims=("substance", "dose"))
    idata = pm.sample(2500, tune=500, chains=2, cores=2, random_seed=58, progressbar=False, nuts={"max_treedepth": 3})
