"""Logistic growth of 60 plants measured at ten times: three parameters a plant, and the curves kept of each draw."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(63)
at = np.linspace(0, 10, 10)
height = 10 / (1 + np.exp(-(at - 5))) + rng.normal(size=(60, 10))

with pm.Model(coords={"plant": np.arange(60)}):
    top = pm.Normal("top", 10, pm.HalfNormal("top_scale", 2), dims="plant")
    middle = pm.Normal("middle", 5, pm.HalfNormal("middle_scale", 2), dims="plant")
    speed = pm.Gamma("speed", 2, 2, dims="plant")
    curve = pm.Deterministic("curve", top[:, None] * pm.math.sigmoid(speed[:, None] * (at - middle[:, None])))
    pm.Normal("height", curve, pm.HalfNormal("noise", 1), observed=height)
    idata = pm.sample(1500, tune=500, chains=2, cores=2, random_seed=63, progressbar=False, nuts={"max_treedepth": 3})
