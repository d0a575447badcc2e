"""What `dropout.py` computes, with PyTensor's own streams, which draw other numbers."""

import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor.tensor.random.utils import RandomStream

rng = np.random.RandomState(13)
streams = RandomStream(seed=7)
x = pt.matrix("x", dtype="float64")
mask = streams.binomial(1, 0.5, size=(4, 3)).astype("float64")
kept = x * mask
added = kept + streams.normal(0, 0.1, size=(4, 3))
limit = pt.clip(added, -1, 1)
f = pytensor.function([x], limit.sum(axis=0))
for n in range(2):
    f(rng.normal(size=(4, 3)))
