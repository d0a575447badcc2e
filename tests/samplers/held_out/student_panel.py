"""A robust regression of a panel: two dims, mutable data, a result with the warm-up."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(20)

with pm.Model(coords={"country": np.arange(50), "year": np.arange(20), "feature": list("abcde")}):
    X = pm.Data("X", rng.normal(size=(50, 20, 5)), dims=("country", "year", "feature"))
    a = pm.ZeroSumNormal("a", sigma=1, dims="country")
    b = pm.Normal("b", 0, 1, dims="feature")
    nu = pm.Gamma("nu", 2, 0.1)
    s = pm.HalfStudentT("s", nu=3, sigma=1)
    mu = pm.Deterministic("mu", a[:, None] + (X * b).sum(-1), dims=("country", "year"))
    pm.StudentT("y", nu=nu, mu=mu, sigma=s, observed=rng.normal(size=(50, 20)), dims=("country", "year"))
    idata = pm.sample(
        1000, tune=600, chains=3, cores=3, random_seed=20, progressbar=False, discard_tuned_samples=False, nuts={"max_treedepth": 4}
    )
