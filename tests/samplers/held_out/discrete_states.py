"""Hidden labels of 150 points by BinaryGibbsMetropolis beside NUTS for the rates."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(44)
counts = rng.poisson(np.where(rng.random(150) < 0.4, 2, 9))

with pm.Model():
    label = pm.Bernoulli("label", 0.5, shape=150)
    low = pm.Gamma("low", 2, 1)
    high = pm.Gamma("high", 9, 1)
    pm.Poisson("counts", pm.math.switch(label, high, low), observed=counts)
    idata = pm.sample(1500, tune=300, chains=2, cores=1, random_seed=44, progressbar=False)
