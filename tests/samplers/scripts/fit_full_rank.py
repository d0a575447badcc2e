"""Full-rank ADVI of 900 values, and draws of what it fitted."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

with pm.Model():
    b = pm.Normal("b", 0, 1, shape=900)
    pm.Normal("y", b, 1, observed=rng.normal(size=900))
    approx = pm.fit(60, method="fullrank_advi", progressbar=False, random_seed=1)
    idata = approx.sample(4000, random_seed=1)
