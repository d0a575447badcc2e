"""Votes in 120 districts for five parties, Dirichlet-multinomial: the expected shares of each district kept of each draw."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(55)
votes = rng.multinomial(400, [0.3, 0.25, 0.2, 0.15, 0.1], size=120)
wealth = rng.normal(size=120)

with pm.Model(coords={"district": np.arange(120), "party": list("abcde")}):
    level = pm.Normal("level", 0, 1, dims="party")
    slope = pm.ZeroSumNormal("slope", sigma=1, dims="party")
    shares = pm.Deterministic("shares", pm.math.softmax(level + wealth[:, None] * slope, axis=1), dims=("district", "party"))
    strength = pm.LogNormal("strength", 3, 1)
    pm.DirichletMultinomial("votes", n=400, a=strength * shares, observed=votes, dims=("district", "party"))
    idata = pm.sample(1500, tune=300, chains=2, cores=2, random_seed=55, progressbar=False, nuts={"max_treedepth": 3})
