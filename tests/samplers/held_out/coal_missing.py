"""Disasters in mines: a switch point of two discrete steps and imputed years, by NUTS and Metropolis together."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(21)
counts = rng.poisson(2, size=111).astype(float)
counts[[20, 60]] = np.nan
years = np.arange(1851, 1962)

with pm.Model():
    switch = pm.DiscreteUniform("switch", 1851, 1961)
    early = pm.Exponential("early", 1)
    late = pm.Exponential("late", 1)
    rate = pm.Deterministic("rate", pm.math.switch(switch >= years, early, late))
    pm.Poisson("disasters", rate, observed=np.ma.masked_invalid(counts))
    idata = pm.sample(4000, tune=1000, chains=2, cores=2, random_seed=21, progressbar=False)
