"""Twelve random walks of 150 steps, with bare results of 1800 numbers a draw and a selection of names."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(43)

with pm.Model():
    scale = pm.HalfNormal("scale", 1)
    walks = pm.GaussianRandomWalk("walks", mu=0, sigma=scale, init_dist=pm.Normal.dist(0, 1), shape=(12, 150))
    pm.Deterministic("ends", walks[:, -1])
    pm.Normal("y", walks, 1, observed=rng.normal(size=(12, 150)))
    idata = pm.sample(800, tune=200, chains=2, cores=2, random_seed=43, progressbar=False, nuts={"max_treedepth": 3})
