"""Logistic regression with predictors that are set to new values, a start, a step method and variational inference."""

import json

import numpy as np
import pymc3 as pm
import theano
import theano.tensor as tt

rng = np.random.RandomState(0)
X = rng.randn(100, 3)
y = (rng.rand(100) < 1 / (1 + np.exp(-X.dot([1.0, -2.0, 0.5])))).astype(int)
predictors = theano.shared(X)
with pm.Model() as model:
    a = pm.Normal("a", 0, 10)
    beta = pm.Normal("beta", 0, tau=0.01, shape=3)
    p = pm.Deterministic("p", pm.math.sigmoid(a + tt.dot(predictors, beta)))
    pm.Bernoulli("y", p=p, observed=y)
    start = pm.find_MAP(progressbar=False)
    step = pm.NUTS(target_accept=0.9)
    trace = pm.sample(500, step=step, start=start, tune=300, cores=1, chains=2, random_seed=3, progressbar=False)
    approx = pm.fit(8000, method="advi", progressbar=False, random_seed=2)
predictors.set_value(np.ones((10, 3)))
with model:
    ppc = pm.sample_posterior_predictive(trace, samples=300, progressbar=False)
drawn = approx.sample(500)
shapes = {"ppc": ppc["y"].shape, "drawn": drawn["beta"].shape, "vars": [v.name for v in model.free_RVs], "start": sorted(start)}
means = {"a": [trace["a"].mean(), trace["a"].std()], "ppc": [ppc["y"].mean(), ppc["y"].std()], "advi": [drawn["a"].mean(), 4 * drawn["a"].std()]}
means.update({"beta%d" % i: [trace["beta"][:, i].mean(), trace["beta"][:, i].std()] for i in range(3)})
means["map"] = [start["beta"][0], 1e-3]
print("ANSWERS " + json.dumps([shapes, means]))
