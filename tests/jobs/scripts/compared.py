"""Calls a function of numbers that numpy draws, and one that draws itself."""

import numpy
import pytensor
import pytensor.tensor as pt

x = pt.matrix("x", dtype="float64")
scaled = pytensor.function([x], pt.tanh(x * 2.0), name="scaled")
drawn = pytensor.function([], pt.random.utils.RandomStream(seed=1).normal(size=(3,)), name="drawn")
for _ in range(4):
    scaled(numpy.random.normal(size=(3, 4)))
    drawn()
