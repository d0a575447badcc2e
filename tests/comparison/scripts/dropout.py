"""Random numbers; each line with a mark has another form behind it, which is planted by a test."""

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng = np.random.RandomState(13)
streams = MRG_RandomStreams(seed=7)
noise = T.shared_randomstreams.RandomStreams(seed=9)
x = T.matrix("x", dtype="float64")
mask = streams.binomial(size=(4, 3), p=0.5, dtype="float64")  #: other probability: mask = streams.binomial(size=(4, 3), p=0.8, dtype="float64")
kept = x * mask
added = kept + noise.normal(size=(4, 3), std=0.1)  #: other deviation: added = kept + noise.normal(size=(4, 3), std=0.2)
limit = T.clip(added, -1, 1)  #: dropped clip: limit = added
f = theano.function([x], limit.sum(axis=0))
for n in range(2):
    f(rng.normal(size=(4, 3)))
