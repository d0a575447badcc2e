"""A length that values decide: JAX does not compile it."""

import numpy as np
import pytensor
import pytensor.tensor as pt

x = pt.fvector("x")
positive = pytensor.function([x], x[x > 0], name="positive")
positive(np.ones(10, "float32"))
