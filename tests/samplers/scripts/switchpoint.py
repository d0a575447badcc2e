"""Coal-mining disasters: a discrete switch point, two steps."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

year = np.arange(1851, 1962)
with pm.Model():
    switch = pm.DiscreteUniform("switch", 1851, 1961)
    early = pm.Exponential("early", 1)
    late = pm.Exponential("late", 1)
    rate = pm.Deterministic("rate", pm.math.switch(switch >= year, early, late))
    pm.Poisson("disasters", rate, observed=rng.poisson(2, size=111))
    idata = pm.sample(15000, tune=300, chains=2, cores=1, random_seed=1, progressbar=False)
