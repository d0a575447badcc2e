"""Rugby results of twenty teams: attack and defence that sum to zero, the log rates of 380 matches kept of each draw."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(51)
home, away = np.divmod(np.arange(400), 20)
home, away = home[home != away], away[home != away]
scored = rng.poisson(20, size=(2, len(home)))

with pm.Model(coords={"team": np.arange(20), "match": np.arange(len(home))}):
    advantage = pm.Normal("advantage", 0, 1)
    level = pm.Normal("level", 3, 1)
    attack = pm.ZeroSumNormal("attack", sigma=pm.HalfNormal("attack_scale", 1), dims="team")
    defence = pm.ZeroSumNormal("defence", sigma=pm.HalfNormal("defence_scale", 1), dims="team")
    at_home = pm.Deterministic("at_home", level + advantage + attack[home] + defence[away], dims="match")
    abroad = pm.Deterministic("abroad", level + attack[away] + defence[home], dims="match")
    pm.Poisson("home_points", pm.math.exp(at_home), observed=scored[0], dims="match")
    pm.Poisson("away_points", pm.math.exp(abroad), observed=scored[1], dims="match")
    idata = pm.sample(2000, tune=500, chains=2, cores=2, random_seed=51, progressbar=False, nuts={"max_treedepth": 3})
