"""Models of `pm.GLM` and its like: their names, and log-densities at a fixed point; prints JSON, as densities.py does."""

import json

import numpy as np
import pymc3 as pm

X = np.linspace(0, 1, 8)
Y = 1 + 2 * X + np.sin(9 * X)
COUNTS = np.round(Y)

with pm.Model() as normal:
    pm.GLM(X, Y)
with pm.Model() as student:
    pm.glm.GLM(np.stack([X, X**2], axis=1), Y, labels=["a", "b"], family=pm.glm.families.StudentT(priors={"nu": 3}),
               priors={"Regressor": pm.Normal.dist(mu=0, sd=3), "Intercept": pm.Normal.dist(1, 2)})  # fmt: skip
with pm.Model() as binomial:
    slope = pm.Normal("slope", 0, 2)
    pm.GLM(X, (Y > 2).astype(int), labels="x", vars={"x": slope}, family="binomial", offset=0.5)
with pm.Model() as counts:
    pm.GLM(X, COUNTS, family="poisson", name="first", intercept=False)
    pm.GLM(X, COUNTS, family="negative_binomial", name="second", model=counts)
with pm.Model() as linear:
    component = pm.glm.LinearComponent(X, Y)
    pm.Normal("seen", component.y_est, sd=pm.HalfNormal("s", 2), observed=Y)

found = {}
for name, model in (("normal", normal), ("student", student), ("binomial", binomial), ("counts", counts), ("linear", linear)):
    point = {n: 0.1 * len(n) + np.zeros(np.shape(v)) for n, v in model.test_point.items()}
    found[name] = [float(model.logp(point)), sorted(point), sorted(v.name for v in model.observed_RVs)]
print("ANSWERS " + json.dumps(found))
