"""ADVI by minibatches of 100 of 40000 rows, then draws from what was fitted."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(39)
x = rng.normal(size=(40_000, 30))
y = x @ rng.normal(size=30) + rng.normal(size=40_000)

with pm.Model():
    rows, target = pm.Minibatch(x, y, batch_size=100)
    b = pm.Normal("b", 0, 1, shape=30)
    s = pm.HalfNormal("s", 1)
    pm.Normal("y", rows @ b, s, observed=target, total_size=40_000)
    approx = pm.fit(20_000, random_seed=39, progressbar=False)
    drawn = approx.sample(30_000)
