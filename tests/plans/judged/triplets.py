"""A triplet loss: anchors, positives and negatives in one array, three rows for each of the batch."""

import numpy as np
import theano.tensor as T
from kit import floatX, train, weights

batch_size = 600
x, W, V = T.matrix("x"), weights(3072, 1024), weights(1024, 512)
vectors = T.dot(T.nnet.relu(T.dot(x, W)), V).reshape((-1, 3, 512))
near, far = (T.sqr(vectors[:, 0] - vectors[:, k]).sum(1) for k in (1, 2))
step = train([x], T.maximum(near - far + np.asarray(0.2, floatX), 0).mean(), [W, V])
for _ in range(2):
    step(np.zeros((3 * batch_size, 3072), floatX))
