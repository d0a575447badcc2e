"""A truncated Dirichlet process mixture by stick breaking, with densities on a grid."""

import numpy as np
import pymc as pm
import pytensor.tensor as pt

rng = np.random.default_rng(12)
y = np.concatenate([rng.normal(-2, 0.5, 100), rng.normal(1, 1, 150)])
grid = np.linspace(-5, 5, 300)
K = 15

with pm.Model(coords={"component": np.arange(K), "grid": grid}):
    alpha = pm.Gamma("alpha", 1, 1)
    beta = pm.Beta("beta", 1, alpha, dims="component")
    w = beta * pt.concatenate([[1.0], pt.extra_ops.cumprod(1 - beta)[:-1]])
    w = pm.Deterministic("w", w / w.sum(), dims="component")
    mu = pm.Normal("mu", 0, 3, dims="component")
    tau = pm.Gamma("tau", 2, 1, dims="component")
    heights = pt.exp(-0.5 * tau * (grid[:, None] - mu) ** 2) * pt.sqrt(tau)
    pm.Deterministic("density", pt.dot(heights, w), dims="grid")
    pm.NormalMixture("y", w, mu, tau=tau, observed=y)
    idata = pm.sample(2000, tune=500, chains=2, cores=1, random_seed=12, progressbar=False, nuts={"max_treedepth": 4})
