"""Distances of each row to all rows of a table, a row at a time."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, weights

batch_size = 300
x, table = T.matrix("x"), weights(20000, 50)
rows, _ = theano.map(lambda row, table: ((table - row) ** 2).sum(1), sequences=[x], non_sequences=[table])
distances = theano.function([x], rows, name="distances")
for _ in range(2):
    distances(np.zeros((batch_size, 50), floatX))
