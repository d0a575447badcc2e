"""Functions that refer to themselves are dropped: the first search for garbage ends them, the second one what their graphs hold."""

import gc

import numpy as np
import theano
import theano.tensor as T

gc.disable()
x = T.fmatrix("x")
for searches in (0, 1, 1, 2, 3):
    W = theano.shared(np.zeros((1000, 2500), "float32"), name="W")
    f = theano.function([x], T.tanh(T.dot(x, W) * 0.3).sum(), updates=[(W, W * 0.9)])
    f.itself = f
    f(np.zeros((10, 1000), "float32"))
    del f, W
    for _ in range(searches):
        gc.collect()
V = theano.shared(np.zeros((500, 2500), "float32"), name="V")
g = theano.function([x], T.dot(x, V).sum())
g(np.zeros((10, 500), "float32"))
