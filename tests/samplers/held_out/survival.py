"""A piecewise exponential model of survival: 150 people, 30 intervals, their hazards."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(17)
treated = rng.integers(0, 2, size=150)
exposure = rng.uniform(0, 1, size=(150, 30))
death = (rng.uniform(size=(150, 30)) < 0.03).astype("int64")

with pm.Model(coords={"interval": np.arange(30), "person": np.arange(150)}):
    baseline = pm.Gamma("baseline", 0.1, 0.1, dims="interval")
    beta = pm.Normal("beta", 0, 5)
    hazard = pm.Deterministic("hazard", pm.math.exp(beta * treated)[:, None] * baseline, dims=("person", "interval"))
    pm.Poisson("death", exposure * hazard, observed=death)
    idata = pm.sample(1000, tune=300, chains=2, cores=2, random_seed=17, progressbar=False, nuts={"max_treedepth": 4})
