"""Fishing: a hurdle of zeros by 90 lakes, rates and chances of each lake kept of each draw."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(62)
lake = np.repeat(np.arange(90), 6)
caught = rng.poisson(3, size=540) * rng.integers(0, 2, size=540)

with pm.Model(coords={"lake": np.arange(90)}):
    level = pm.Normal("level", 1, 1)
    rate = pm.LogNormal("rate", level, pm.HalfNormal("spread", 1), dims="lake")
    chance = pm.Beta("chance", 2, 2, dims="lake")
    pm.Deterministic("mean", rate * chance, dims="lake")
    pm.HurdlePoisson("caught", psi=chance[lake], mu=rate[lake], observed=caught)
    idata = pm.sample(2000, tune=1000, chains=4, cores=2, random_seed=62, progressbar=False, nuts={"max_treedepth": 3})
