"""A result that no machine has room for."""

import numpy
import pytensor
import pytensor.tensor as pt

x = pt.tensor("x", dtype="float32", shape=(3,))
huge = pytensor.function([x], pt.zeros((10_000_000, 10_000_000), dtype="float32") + x.sum(), name="huge")
huge(numpy.ones(3, "float32"))
