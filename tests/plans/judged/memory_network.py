"""A memory network: three hops of attention over sentences of word numbers."""

import numpy as np
import theano.tensor as T
from kit import labels, loss, train, weights

batch_size = 400
story, question, y = T.itensor3("story"), T.imatrix("question"), T.ivector("y")
tables = [weights(300, 50) for _ in range(4)]
u = tables[0][question].sum(1)
for A, C in zip(tables, tables[1:]):
    m, c = A[story].sum(2), C[story].sum(2)
    p = T.nnet.softmax((m * u.dimshuffle(0, "x", 1)).sum(2))
    u = u + (c * p.dimshuffle(0, 1, "x")).sum(1)
V = weights(50, 300)
step = train([story, question, y], loss(T.nnet.softmax(T.dot(u, V)), y), [*tables, V])
for _ in range(2):
    step(np.zeros((batch_size, 30, 6), "int32"), np.zeros((batch_size, 6), "int32"), labels(batch_size))
