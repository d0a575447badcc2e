"""Eight schools, centred, in two processes."""

import numpy as np
import pymc as pm

y = np.array([28, 8, -3, 7, -1, 1, 18, 12.0])
sigma = np.array([15, 10, 16, 11, 9, 11, 10, 18.0])

with pm.Model(coords={"school": np.arange(8)}):
    mu = pm.Normal("mu", 0, 5)
    tau = pm.HalfCauchy("tau", 5)
    theta = pm.Normal("theta", mu, tau, dims="school")
    pm.Normal("y", theta, sigma, observed=y, dims="school")
    idata = pm.sample(30000, tune=500, chains=2, cores=2, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})
