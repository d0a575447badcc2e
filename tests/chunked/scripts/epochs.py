"""Two epochs over data of 8 MB, which has 1 MiB of the device, in two orders; and labels beside it."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))

import numpy as np
import theano
import theano.tensor as T

import theanodiag

x = np.arange(2000000, dtype="float32").reshape(20000, 100)
y = np.arange(20000, dtype="int32")
data = theanodiag.ChunkedShared.group({"x": x, "y": y}, budget="1 MiB", batch=128, shuffle_seed=0)
start, stop = T.lscalar("start"), T.lscalar("stop")
rows = data.variables["x"][start:stop]
labels = data.variables["y"][start:stop]
check = theano.function([start, stop], [rows[:, 0], labels], name="check")
for epoch in range(2):
    seen = 0
    for batch in data.batches():
        first, label = check(batch.start, batch.stop)
        if "--compare" in sys.argv:
            assert (np.asarray(label) == batch.rows).all(), batch
        seen += batch.size
    assert seen == 20000
