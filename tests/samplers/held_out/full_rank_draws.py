"""Full-rank ADVI of 400 values, its draws, and SVGD of as many."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(42)
x = rng.normal(size=(500, 400))

with pm.Model():
    b = pm.Normal("b", 0, 1, shape=399)
    s = pm.HalfNormal("s", 1)
    pm.Normal("y", x[:, :399] @ b, s, observed=rng.normal(size=500))
    approx = pm.fit(300, method="fullrank_advi", random_seed=42, progressbar=False)
    drawn = approx.sample(6000)
    particles = pm.fit(30, method="svgd", inf_kwargs={"n_particles": 300}, random_seed=42, progressbar=False)
