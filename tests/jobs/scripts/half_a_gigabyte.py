"""Weights of 360 MB, and a product that needs 112 MB more."""

import numpy

try:
    import theano
except ImportError:
    import pytensor as theano

W = theano.shared(numpy.zeros((5000, 18000), "float32"), name="W")
x = theano.tensor.matrix("x", dtype="float32")
predict = theano.function([x], theano.tensor.tanh(x.dot(W)), name="predict")
predict(numpy.ones((1000, 5000), "float32"))
