"""A multilayer perceptron with a softmax, trained by SGD."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(0)


def weights(*shape):
    return theano.shared(rng.uniform(-0.1, 0.1, shape).astype("float32"))


x, y = T.fmatrix("x"), T.ivector("y")
W1, b1, W2, b2 = params = [weights(784, 500), weights(500), weights(500, 10), weights(10)]
p = T.nnet.softmax(T.dot(T.tanh(T.dot(x, W1) + b1), W2) + b2)
cost = T.nnet.categorical_crossentropy(p, y).mean()
updates = [(v, v - np.float32(0.1) * g) for v, g in zip(params, T.grad(cost, params))]
train = theano.function([x, y], cost, updates=updates)
for _ in range(3):
    train(rng.uniform(size=(128, 784)).astype("float32"), rng.randint(0, 10, 128).astype("int32"))
