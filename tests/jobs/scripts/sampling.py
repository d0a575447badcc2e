"""Samples a model, and leaves a function that is never called."""

import sys

import numpy
import pymc
import pytensor
import pytensor.tensor as pt

rows = int(sys.argv[1]) if len(sys.argv) > 1 else 64
z = pt.matrix("z", dtype="float32")
x = pt.vector("x", dtype="float64")
never = pytensor.function([z], pt.exp(z).sum(), name="never")
doubled = pytensor.function([x], x * 2, name="doubled")
for _ in range(20):
    doubled(numpy.ones(rows))
    if "all" in sys.argv:
        never(numpy.ones((5, 5), "float32"))
if doubled(numpy.ones(3)).any():
    doubled(numpy.ones(64 * rows))
with pymc.Model():
    mean = pymc.Normal("mean", 0.0, 1.0, shape=3)
    pymc.Normal("seen", mean[0], 1.0, observed=numpy.ones(rows))
    pymc.sample(draws=50, tune=50, chains=1, cores=1, progressbar=False, random_seed=1, compute_convergence_checks=False)
