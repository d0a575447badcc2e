"""Functions of which XLA writes more on the CPU than on a GPU: values between loops, and a matrix in a loop of products."""

import numpy as np
import pytensor
import pytensor.tensor as pt

pytensor.config.floatX = "float64"
pytensor.config.mode = "JAX"
random = np.random.default_rng(0)

x, s, h0 = pt.matrix("x"), pt.matrix("s"), pt.vector("h0")
unit = pt.set_subtensor((x / (1 + pt.sqrt(pt.sqr(x).sum(axis=1, keepdims=True))))[1:3], 0)
centred = unit - unit.mean(axis=0, keepdims=True)
gradient = pytensor.function([x], pt.grad(pt.sqr(centred).sum(), x), name="gradient")
gradient(random.normal(size=(404, 333)))

U = pytensor.shared(random.normal(size=(50, 50)), "U")
states = pytensor.scan(lambda s, h: pt.tanh(s + h @ U), sequences=s, outputs_info=h0, return_updates=False)
last = pytensor.function([s, h0], states[-1], name="last")
last(random.normal(size=(60, 50)), random.normal(size=50))
