"""A Gaussian process with its prediction, and a regression on minibatches."""

import json

import numpy as np
import pymc3 as pm

rng = np.random.RandomState(0)
X = np.linspace(0, 1, 20)[:, None]
y = np.sin(6 * X[:, 0]) + 0.1 * rng.randn(20)
with pm.Model():
    ell = pm.Gamma("ell", alpha=2, beta=1)
    eta = pm.HalfCauchy("eta", beta=5)
    gp = pm.gp.Marginal(cov_func=eta**2 * pm.gp.cov.Matern52(1, ell))
    gp.marginal_likelihood("y", X=X, y=y, noise=pm.HalfCauchy("s", beta=5))
    best = pm.find_MAP(progressbar=False)
    gp.conditional("f", np.linspace(0, 1, 5)[:, None])
    predicted = pm.sample_posterior_predictive([best], var_names=["f"], samples=200, progressbar=False)
x = rng.randn(1000)
outcome = 2 * x + rng.randn(1000)
with pm.Model():
    slope = pm.Normal("slope", 0, 10)
    width = pm.HalfNormal("width", 2)
    batch, answers = pm.Minibatch(x, batch_size=50), pm.Minibatch(outcome, batch_size=50)
    pm.Normal("o", slope * batch, width, observed=answers, total_size=1000)
    slopes = pm.fit(10000, method="advi", progressbar=False, random_seed=1).sample(500)["slope"]
shapes = {"predicted": predicted["f"].shape}
means = {"ell": [float(best["ell"]), 1e-3], "slope": [slopes.mean(), 0.2]}
means.update({"f%d" % i: [predicted["f"][:, i].mean(), 0.1] for i in range(5)})
print("ANSWERS " + json.dumps([shapes, means]))
