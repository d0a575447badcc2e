"""A variational autoencoder."""

import numpy as np
import theano
import theano.tensor as T
from kit import adam, floatX, weights
from theano.sandbox.rng_mrg import MRG_RandomStreams

batch_size = 5000
columns, n, latent = 784, 400, 20
x = T.matrix("x")
W1, Wm, Ws, W2, W3 = weights(columns, n), weights(n, latent), weights(n, latent), weights(latent, n), weights(n, columns)
h = T.tanh(T.dot(x, W1))
mean, log_var = T.dot(h, Wm), T.dot(h, Ws)
z = mean + T.exp(log_var / 2) * MRG_RandomStreams(1).normal(mean.shape, dtype=floatX)
p = T.nnet.sigmoid(T.dot(T.tanh(T.dot(z, W2)), W3))
kl = -0.5 * (1 + log_var - T.sqr(mean) - T.exp(log_var)).sum(axis=1)
cost = (T.nnet.binary_crossentropy(p, x).sum(axis=1) + kl).mean()
train = theano.function([x], cost, updates=adam(cost, [W1, Wm, Ws, W2, W3]), name="train")
for _ in range(2):
    train(np.zeros((batch_size, columns), floatX))
