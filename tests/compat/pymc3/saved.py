"""Traces in files, in the folder that is the script's argument; prints JSON."""

import json
import os
import sys

import numpy as np
import pymc3 as pm
from pymc3.backends.text import Text

os.chdir(sys.argv[1])
with pm.Model() as model:
    pm.Normal("x", 0, 1, shape=(2, 2)), pm.HalfNormal("s", 1), pm.Poisson("k", 3)
    options = {"tune": 5, "chains": 2, "cores": 1, "progressbar": False, "compute_convergence_checks": False}
    trace = pm.sample(30, trace=Text("texts"), **options)
    pm.save_trace(trace[10:], "saved", overwrite=True)
    loaded, read = pm.load_trace("saved"), pm.backends.text.load("texts")
    in_memory = pm.sample(30, trace=pm.backends.NDArray("name"), **options)
with open("texts/chain-1.csv") as file:
    lines = file.read().splitlines()
answers = {
    "texts": [lines[0], len(lines)],
    "read": all(np.allclose(read[name], trace[name]) for name in trace.varnames),
    "integers": read["k"].dtype.kind,
    "loaded": all(np.array_equal(loaded[name], np.concatenate(trace.get_values(name, burn=10, combine=False))) for name in trace.varnames),
    "statistics": loaded["diverging"].shape,
    "in memory": len(in_memory),
    "files": sorted(os.listdir("saved/1")),
}
for failing in (lambda: pm.load_trace("none"), lambda: pm.save_trace(trace, "saved")):
    try:
        failing()
    except OSError as error:
        answers.setdefault("errors", []).append(str(error)[:45])
print("ANSWERS " + json.dumps(answers))
