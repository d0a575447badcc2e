"""A table that set_value makes larger, again and again."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX

at_once = False
sizes = [2000, 4000, 6000, 8000]
table = theano.shared(np.zeros((sizes[-1] if at_once else sizes[0], 1000), floatX), name="table")
x = T.matrix("x")
score = theano.function([x], T.dot(x, table.T).max(axis=1), name="score")
for size in sizes[1:]:
    table.set_value(np.zeros((sizes[-1] if at_once else size, 1000), floatX))
    score(np.zeros((10, 1000), floatX))
