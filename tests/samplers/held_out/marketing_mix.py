"""A marketing mix of two years by week: four channels with geometric adstock and saturation, contributions kept of each draw."""

import numpy as np
import pymc as pm
import pytensor.tensor as pt

rng = np.random.default_rng(52)
weeks, channels, lags = 104, 4, 8
spent = rng.gamma(2, 1, size=(weeks, channels))
lagged = np.stack([np.vstack([np.zeros((lag, channels)), spent[: weeks - lag]]) for lag in range(lags)])
sales = 5 + spent.sum(axis=1) + rng.normal(size=weeks)

with pm.Model(coords={"week": np.arange(weeks), "channel": list("abcd")}):
    carry = pm.Beta("carry", 2, 3, dims="channel")
    half = pm.HalfNormal("half", 2, dims="channel")
    effect = pm.HalfNormal("effect", 2, dims="channel")
    weight = carry[None, :] ** np.arange(lags)[:, None]
    stock = (weight[:, None, :] * lagged).sum(axis=0) / weight.sum(axis=0)
    parts = pm.Deterministic("contribution", effect * stock / (stock + half), dims=("week", "channel"))
    trend = pm.Normal("trend", 0, 1)
    mean = pm.Deterministic("mean", pm.Normal("base", 5, 3) + trend * np.linspace(-1, 1, weeks) + pt.sum(parts, axis=1), dims="week")
    pm.Normal("sales", mean, pm.HalfNormal("noise", 2), observed=sales, dims="week")
    idata = pm.sample(1500, tune=500, chains=4, cores=2, random_seed=52, progressbar=False, nuts={"max_treedepth": 3})
