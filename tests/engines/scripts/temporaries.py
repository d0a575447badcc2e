"""Functions whose temporaries are known by name and line."""

import numpy as np
import pytensor
import pytensor.tensor as pt

F = pytensor.config.floatX
rng = np.random.default_rng(1)


def array(*shape):
    """Numbers."""
    return rng.normal(size=shape).astype(F)


x, y, t = pt.matrix("x"), pt.matrix("y"), pt.tensor("t", shape=(40, 64, 64))
W = pytensor.shared(array(256, 256), "W")
hidden = pt.tanh(x @ W)
hidden.name = "hidden"
product = hidden @ hidden.T
named = pytensor.function([x], pt.linalg.cholesky(product).sum(), name="named")
named(array(512, 256))

first = pt.sort(x, axis=0)
second = pt.sort(first @ y, axis=0)
both = pytensor.function([x, y], pt.cumsum(second @ first, axis=0), name="sorted")
both(array(256, 256), array(256, 256))

V = pytensor.shared(array(300, 200), "V")
padded = pytensor.function([x], pt.special.softmax(x @ V, axis=1), name="padded")
padded(array(64, 300))


def step(s, c):
    """One step."""
    return pt.tanh(c @ s)


states = pytensor.scan(step, sequences=t, outputs_info=pt.zeros((64, 64)), return_updates=False)
forward = pytensor.function([t], states[-1].sum(), name="forward")
forward(array(40, 64, 64))
loop = pytensor.function([t], pt.grad(pt.sqr(states).sum(), t), name="loop")
loop(array(40, 64, 64))

bare = pytensor.function([x], x + 1, name="bare")
bare(array(8, 8))
