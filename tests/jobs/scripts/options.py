"""Calls a function whose result, arguments and number of calls matter, and leaves one that is never called."""

import sys

import numpy

try:
    import theano
except ImportError:
    import pytensor as theano

rows = int(sys.argv[1]) if len(sys.argv) > 1 else 64
W = theano.shared(numpy.ones((500, 2000), "float32"), name="W")
x = theano.tensor.matrix("x", dtype="float32")
z = theano.tensor.matrix("z", dtype="float32")
predict = theano.function([x], theano.tensor.tanh(x.dot(W)), name="predict")
never = theano.function([z], theano.tensor.exp(z).sum(), name="never")
for _ in range(60):
    found = predict(numpy.ones((rows, 500), "float32"))
    if "all" in sys.argv:
        never(numpy.ones((5, 5), "float32"))
    if found.any():
        predict(numpy.ones((64 * rows, 500), "float32"))
