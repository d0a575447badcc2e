"""A layer with an update, for torch."""

import numpy
import pytensor
import pytensor.tensor as pt

floatX = pytensor.config.floatX
x = pt.matrix("x")
W = pytensor.shared(numpy.ones((30, 20), floatX), name="W")
step = pytensor.function([x], pt.tanh(x @ W), updates=[(W, W / 2)], name="step")
for _ in range(2):
    step(numpy.ones((10, 30), floatX))
