"""The highest point of 1200 values by BFGS, which keeps matrices, and by L-BFGS-B, which does not."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

with pm.Model():
    b = pm.Normal("b", 1, 1, shape=1200)
    pm.Normal("y", b**2, 1, observed=rng.normal(size=1200))
    first = pm.find_MAP(method="BFGS", progressbar=False)
    second = pm.find_MAP(progressbar=False)
