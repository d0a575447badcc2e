"""Eight schools, not centred, with the draws of tuning."""

import numpy as np
import pymc as pm

y = np.array([28, 8, -3, 7, -1, 1, 18, 12.0])
sigma = np.array([15, 10, 16, 11, 9, 11, 10, 18.0])

with pm.Model(coords={"school": np.arange(8)}):
    mu = pm.Normal("mu", 0, 5)
    tau = pm.HalfCauchy("tau", 5)
    z = pm.Normal("z", 0, 1, dims="school")
    theta = pm.Deterministic("theta", mu + tau * z, dims="school")
    pm.Normal("y", theta, sigma, observed=y, dims="school")
    idata = pm.sample(20000, tune=5000, chains=2, cores=1, discard_tuned_samples=False, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
