"""Data that is float64 whatever floatX is."""

import numpy as np
import theano
import theano.tensor as T
from kit import loss, sgd

batch_size = 500
data = theano.shared(np.zeros((20000, 500)), name="data")
W = theano.shared(np.zeros((500, 10)), name="W")
i, y = T.lscalar("i"), T.ivector("y")
cost = loss(T.nnet.softmax(T.dot(data[i * batch_size : (i + 1) * batch_size], W)), y)
train = theano.function([i, y], cost, updates=sgd(cost, [W]), name="train")
for k in range(2):
    train(k, np.zeros(batch_size, "int32"))
