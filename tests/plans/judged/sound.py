"""Sound, sample by sample: frames through a recurrent net, samples through a perceptron."""

import numpy as np
import theano
import theano.tensor as T
from kit import adam, floatX, gru, weights

batch_size = 64
n_frames, size, n = 16, 8, 64
x = T.imatrix("x")
frames = (T.cast(x[:, :-size], floatX) / 128 - 1).reshape((x.shape[0], -1, size)).dimshuffle(1, 0, 2)
h, params = gru(frames, T.ones_like(frames[:, :, 0]), size, n)
W, table, W1, W2 = weights(n, size * n), weights(256, 32), weights(size * 32, n), weights(n, 256)
frame = T.dot(h, W).reshape((h.shape[0], h.shape[1], size, n)).dimshuffle(1, 0, 2, 3).reshape((-1, n))
before = T.stack([x[:, k : k - size] for k in range(size)], axis=2)
samples = table[before.flatten()].reshape((-1, size * 32))
p = T.nnet.softmax(T.dot(T.nnet.relu(T.dot(samples, W1) + frame), W2))
cost = T.nnet.categorical_crossentropy(p, x[:, size:].flatten()).mean()
train = theano.function([x], cost, updates=adam(cost, [W, table, W1, W2, *params]), name="train")
train(np.zeros((batch_size, (n_frames + 1) * size), "int32"))
