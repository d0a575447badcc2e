"""Survival of 200 patients with a hazard constant by month, as Poisson counts of a table of patients by months."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(56)
patients, months = 200, 24
treated = rng.integers(0, 2, size=patients)
time = rng.exponential(12, size=patients).clip(0.1, months - 0.01)
exposed = (time[:, None] - np.arange(months)).clip(0, 1)
died = np.zeros((patients, months), dtype=int)
died[np.arange(patients), time.astype(int)] = rng.integers(0, 2, size=patients)

with pm.Model(coords={"patient": np.arange(patients), "month": np.arange(months)}):
    hazard = pm.Gamma("hazard", 1, 10, dims="month")
    effect = pm.Normal("effect", 0, 1)
    late = pm.Normal("late", 0, 1)
    changing = pm.Deterministic("changing", effect + late * (np.arange(months) > 12), dims="month")
    rate = pm.math.exp(treated[:, None] * changing) * hazard
    pm.Deterministic("survival", pm.math.exp(-pm.math.cumsum(hazard * pm.math.exp(changing))), dims="month")
    pm.Poisson("died", exposed * rate + 1e-9, observed=died, dims=("patient", "month"))
    idata = pm.sample(600, tune=300, chains=2, cores=2, random_seed=56, progressbar=False, nuts={"max_treedepth": 3},
                      idata_kwargs={"log_likelihood": True})  # fmt: skip
