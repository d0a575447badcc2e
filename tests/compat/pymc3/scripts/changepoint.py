"""Counts with a point where the rate changes: an Op of the script's own, discrete variables, step methods of their own."""

import json

import numpy as np
import pymc3 as pm
import theano.tensor as tt
from theano.compile.ops import as_op

rng = np.random.RandomState(4)
counts = np.concatenate([rng.poisson(5, 30), rng.poisson(2, 30)])


@as_op(itypes=[tt.lscalar, tt.dscalar, tt.dscalar], otypes=[tt.dvector])
def rate_of(switch, early, late):
    out = np.empty(60)
    out[:switch] = early
    out[switch:] = late
    return out


with pm.Model() as model:
    switch = pm.DiscreteUniform("switch", lower=0, upper=60)
    early, late = pm.Exponential("early", lam=1), pm.Exponential("late", lam=1)
    disasters = pm.Poisson("disasters", rate_of(switch, early, late), observed=counts)
    steps = [pm.Metropolis([early, late]), pm.Metropolis([switch])]
    trace = pm.sample(4000, tune=1000, step=steps, cores=1, chains=2, random_seed=1, progressbar=False)
shapes = {"switch": trace["switch"].shape, "dtype": trace["switch"].dtype.kind, "names": sorted(trace.varnames)}
means = {name: [trace[name].mean(), trace[name].std() * 3] for name in ("switch", "early", "late")}
print("ANSWERS " + json.dumps([shapes, means]))
