"""ADVI of a regression, its means tracked, and many draws of what it fitted."""

import numpy as np
import pymc as pm
from pymc.variational.callbacks import Tracker

rng = np.random.default_rng(1)

X = rng.normal(size=(500, 1500))
with pm.Model():
    b = pm.Normal("b", 0, 1, shape=1500)
    s = pm.HalfNormal("s", 1)
    pm.Deterministic("mu", X @ b)
    pm.Normal("y", X @ b, s, observed=rng.normal(size=500))
    tracker = Tracker(mean=lambda approx, losses, i: approx.params[0].get_value())
    approx = pm.fit(4000, method="advi", callbacks=[tracker], progressbar=False, random_seed=1)
    idata = approx.sample(3000, random_seed=1)
