"""The MultiTrace itself is wanted."""

import numpy as np
import pymc as pm

x = np.linspace(0, 1, 5000)
with pm.Model():
    a = pm.Normal("a", 0, 1)
    pm.Deterministic("curve", a * x)
    trace = pm.sample(2000, tune=100, chains=2, cores=1, return_inferencedata=False, compute_convergence_checks=False, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
