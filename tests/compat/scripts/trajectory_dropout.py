"""A dropout MLP on a made-up classification, with MRG masks, Gaussian noise and RMSprop."""

import numpy as np
import theano
from theano import tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams as RandomStreams

srng = RandomStreams(seed=42)
rng = np.random.RandomState(0)


def floatX(X):
    return np.asarray(X, dtype=theano.config.floatX)


def init_weights(shape):
    return theano.shared(floatX(rng.randn(*shape) * 0.1))


def rectify(X):
    return T.maximum(X, 0.0)


def dropout(X, p=0.0):
    if p > 0:
        retain_prob = 1 - p
        X *= srng.binomial(X.shape, p=retain_prob, dtype=theano.config.floatX)
        X /= retain_prob
    return X


def RMSprop(cost, params, lr=0.01, rho=0.9, epsilon=1e-6):
    grads = T.grad(cost=cost, wrt=params)
    updates = []
    for p, g in zip(params, grads):
        acc = theano.shared(p.get_value() * 0.0)
        acc_new = rho * acc + (1 - rho) * g**2
        gradient_scaling = T.sqrt(acc_new + epsilon)
        g = g / gradient_scaling
        updates.append((acc, acc_new))
        updates.append((p, p - lr * g))
    return updates


def model(X, w_h, w_h2, w_o, p_drop_input, p_drop_hidden, sigma):
    X = X + srng.normal(X.shape, std=sigma, dtype=theano.config.floatX)
    X = dropout(X, p_drop_input)
    h = rectify(T.dot(X, w_h))
    h = dropout(h, p_drop_hidden)
    h2 = rectify(T.dot(h, w_h2))
    h2 = dropout(h2, p_drop_hidden)
    return T.nnet.softmax(T.dot(h2, w_o))


teX = floatX(rng.randn(320, 30))
labels = (teX[:, :4].dot(rng.randn(4, 5))).argmax(axis=1)
teY = floatX(np.eye(5)[labels])
X, Y = T.fmatrix() if theano.config.floatX == "float32" else T.dmatrix(), T.matrix()
w_h, w_h2, w_o = init_weights((30, 40)), init_weights((40, 40)), init_weights((40, 5))
noise_py_x = model(X, w_h, w_h2, w_o, 0.2, 0.5, 0.05)
cost = T.mean(T.nnet.categorical_crossentropy(noise_py_x, Y))
params = [w_h, w_h2, w_o]
train = theano.function(inputs=[X, Y], outputs=cost, updates=RMSprop(cost, params), allow_input_downcast=True)
for epoch in range(3):
    for start, end in zip(range(0, len(teX), 32), range(32, len(teX) + 1, 32)):
        print(repr(float(train(teX[start:end], teY[start:end]))))
