"""Hierarchical model, its trace, predictions and statistics, as a notebook of PyMC3 takes them."""

import json

import numpy as np
import pymc3 as pm

y = np.array([28, 8, -3, 7, -1, 1, 18, 12.0])
sigma = np.array([15, 10, 16, 11, 9, 11, 10, 18.0])
with pm.Model() as schools:
    mu = pm.Normal("mu", mu=0, sd=5)
    tau = pm.HalfCauchy("tau", beta=5, testval=2.0)
    eta = pm.Normal("eta", mu=0, sd=1, shape=8)
    theta = pm.Deterministic("theta", mu + tau * eta)
    obs = pm.Normal("obs", mu=theta, sd=sigma, observed=y)
    trace = pm.sample(1000, tune=500, cores=1, chains=2, random_seed=1, progressbar=False, return_inferencedata=False)
    ppc = pm.sample_posterior_predictive(trace, samples=50, progressbar=False)
shapes = {
    "theta": trace["theta"].shape, "length": len(trace), "names": sorted(trace.varnames), "burnt": trace[50:]["mu"].shape,
    "thinned": trace["tau", 100::2].shape, "one chain": trace.get_values("eta", chains=[1], burn=10, thin=2).shape,
    "ppc": ppc["obs"].shape, "point": sorted(trace[-1]), "frame": list(pm.trace_to_dataframe(trace, varnames=["mu", "theta"]).columns),
    "summary": list(pm.summary(trace, var_names=["theta"]).index), "hpd": np.shape(pm.stats.hdi(trace["mu"])),
    "chains": trace.chains, "statistics": sorted({"diverging", "tree_size"} & set(trace.stat_names)),
    "points": len(list(trace.points())),
}  # fmt: skip
means = {name: [np.mean(trace[name]), np.std(trace[name])] for name in ("mu", "tau")}
means["ppc"] = [ppc["obs"].mean(), ppc["obs"].std() * 3]
print("ANSWERS " + json.dumps([shapes, means]))
