"""A structural time series: local level, slope and a seasonal part of twelve, with the parts kept as deterministic variables."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(32)
n = 180
y = np.cumsum(rng.normal(size=n)) + 3 * np.sin(2 * np.pi * np.arange(n) / 12)

with pm.Model(coords={"month": np.arange(n)}):
    level_scale = pm.HalfNormal("level_scale", 1)
    slope_scale = pm.HalfNormal("slope_scale", 0.1)
    slope = pm.Deterministic("slope", pm.math.cumsum(slope_scale * pm.Normal("slope_steps", 0, 1, dims="month")), dims="month")
    level = pm.Deterministic("level", pm.math.cumsum(slope + level_scale * pm.Normal("level_steps", 0, 1, dims="month")), dims="month")
    season = pm.ZeroSumNormal("season", sigma=2, shape=12)
    seasonal = pm.Deterministic("seasonal", season[np.arange(n) % 12], dims="month")
    pm.Normal("y", level + seasonal, pm.HalfNormal("noise", 1), observed=y, dims="month")
    idata = pm.sample(1500, tune=500, chains=3, cores=2, random_seed=32, progressbar=False, nuts={"max_treedepth": 3})
