"""A classifier with 5000 classes whose targets are rows of zeros and a one, all in a shared variable."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, loss, weights

as_numbers = False
CLASSES, ROWS, BATCH = 5000, 8000, 200
data = theano.shared(np.zeros((ROWS, 300), floatX), name="data")
rows = np.zeros((ROWS, CLASSES), floatX)
targets = theano.shared(rows.argmax(1).astype("int32") if as_numbers else rows, name="targets")
i = T.lscalar("i")
x, y = data[i * BATCH : (i + 1) * BATCH], targets[i * BATCH : (i + 1) * BATCH]
params = [weights(300, 200), weights(200, CLASSES)]
p = T.nnet.softmax(T.dot(T.tanh(T.dot(x, params[0])), params[1]))
updates = [(w, w - np.asarray(0.1, floatX) * g) for w, g in zip(params, T.grad(loss(p, y), params))]
train = theano.function([i], loss(p, y), updates=updates, name="train")
for k in range(3):
    train(k)
