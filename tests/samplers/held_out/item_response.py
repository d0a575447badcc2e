"""Two-parameter item response: 120 persons by 25 questions, log-likelihood asked for."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(35)
answers = rng.integers(0, 2, size=(120, 25))

with pm.Model(coords={"person": np.arange(120), "item": np.arange(25)}):
    ability = pm.Normal("ability", 0, 1, dims="person")
    difficulty = pm.Normal("difficulty", 0, 2, dims="item")
    discrimination = pm.LogNormal("discrimination", 0, 0.5, dims="item")
    logit = discrimination * (ability[:, None] - difficulty)
    pm.Bernoulli("answers", logit_p=logit, observed=answers, dims=("person", "item"))
    idata = pm.sample(
        800, tune=300, chains=2, cores=2, random_seed=35, progressbar=False,
        nuts={"max_treedepth": 3}, idata_kwargs={"log_likelihood": True},
    )  # fmt: skip
