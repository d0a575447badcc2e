"""A Deterministic of float32 and one of int32."""

import numpy as np
import pymc as pm
import pytensor.tensor as pt

x = np.linspace(0, 1, 6000).astype("float32")
with pm.Model():
    a = pm.Normal("a", 0, 1)
    pm.Deterministic("curve", (a.astype("float32") * x).astype("float32"))
    pm.Deterministic("above", pt.cast(a * x > 0.5, "int32"))
    idata = pm.sample(1500, tune=100, chains=2, cores=1, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
