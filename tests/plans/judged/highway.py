"""Highway layers with batch normalisation."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, labels, loss, sgd, weights

batch_size = 4000
n = 300
x, y = T.matrix("x"), T.ivector("y")
h, params = x, []
for _ in range(5):
    W, G, gamma, beta = weights(n, n), weights(n, n), weights(n), weights(n)
    params += [W, G, gamma, beta]
    a = T.dot(h, W)
    a = gamma * (a - a.mean(axis=0)) / T.sqrt(a.var(axis=0) + np.asarray(1e-4, floatX)) + beta
    t = T.nnet.sigmoid(T.dot(h, G))
    h = t * T.nnet.relu(a) + (1 - t) * h
V = weights(n, 10)
cost = loss(T.nnet.softmax(T.dot(h, V)), y)
train = theano.function([x, y], cost, updates=sgd(cost, [*params, V]), name="train")
for _ in range(2):
    train(np.zeros((batch_size, n), floatX), labels(batch_size))
