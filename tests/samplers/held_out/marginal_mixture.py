"""A mixture of three normals for 250 points, with the weights of each point as a deterministic variable."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(34)
y = np.concatenate([rng.normal(-3, 1, 80), rng.normal(0, 0.5, 90), rng.normal(4, 1.5, 80)])

with pm.Model():
    weights = pm.Dirichlet("weights", np.ones(3))
    centres = pm.Normal("centres", [-2.0, 0.0, 3.0], 2, shape=3)
    scales = pm.HalfNormal("scales", 2, shape=3)
    pm.Deterministic("responsibility", pm.math.softmax(-(((y[:, None] - centres) / scales) ** 2), axis=1))
    pm.NormalMixture("y", w=weights, mu=centres, sigma=scales, observed=y)
    idata = pm.sample(1000, tune=200, chains=4, cores=2, random_seed=34, progressbar=False, nuts={"max_treedepth": 3})
