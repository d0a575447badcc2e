"""Each step of a scan sorts on the host, and takes what it sorted to the device."""

import numpy as np
import theano
import theano.tensor as T

W = theano.shared(np.ones((6, 6), "float32"), name="W")
x, start = T.tensor3("x", dtype="float32"), T.matrix("start", dtype="float32")
h, _ = theano.scan(lambda rows, h: T.tanh(T.dot(T.sort(rows, axis=0), W) + h), sequences=[x], outputs_info=[start])
last = theano.function([x, start], h[-1], name="last")
for steps in (3, 7):
    last(np.ones((steps, 15, 6), "float32"), np.ones((15, 6), "float32"))
