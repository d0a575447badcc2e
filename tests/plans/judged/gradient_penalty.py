"""A critic with a gradient penalty: a gradient of a gradient."""

import numpy as np
import theano.tensor as T
from kit import floatX, train, weights

batch_size = 3000
x, u = T.matrix("x"), T.matrix("u")
W, V = weights(784, 400), weights(400, 1)


def critic(x):
    """A score of each row."""
    return T.dot(T.tanh(T.dot(x, W)), V)[:, 0]


between = (x + u) / 2
norm = T.sqrt((T.grad(critic(between).sum(), between) ** 2).sum(1) + 1e-6)
step = train([x, u], critic(x).mean() - critic(u).mean() + ((norm - 1) ** 2).mean(), [W, V])
for _ in range(2):
    step(*(np.zeros((batch_size, 784), floatX) for _ in range(2)))
