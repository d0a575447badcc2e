"""A linear regression on six features, nothing but free variables."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(23)
X = rng.normal(size=(1200, 6))

with pm.Model(coords={"feature": np.arange(6)}):
    b = pm.Normal("b", 0, 1, dims="feature")
    s = pm.HalfNormal("s", 1)
    pm.Normal("y", X @ b, s, observed=rng.normal(size=1200))
    idata = pm.sample(1500, tune=500, chains=2, cores=1, random_seed=23, progressbar=False, nuts={"max_treedepth": 4})
