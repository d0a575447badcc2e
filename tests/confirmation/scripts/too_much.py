"""The second call asks for more than a small device has."""

import numpy
import theano
import theano.tensor as T

W = theano.shared(numpy.ones((1000, 1000), "float32"), name="W")
x = T.fmatrix("x")
f = theano.function([x], T.tanh(T.dot(T.dot(x, W), W)).sum(), name="f")
f(numpy.ones((100, 1000), "float32"))
f(numpy.ones((20000, 1000), "float32"))
