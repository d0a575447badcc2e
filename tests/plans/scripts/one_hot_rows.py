"""Functions that get one-hot rows and multiply them by a table: as an argument of a class, in a data set, as sentences."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(0)
floats = "float64"
V, H = 1000, 8


def one_hot(ids):
    """A row for each number."""
    return np.eye(V)[ids]


class Net(object):
    """A hidden layer and the scores of three classes."""

    def __init__(self, inp):
        self.table = theano.shared(rng.randn(V, H), name="table")
        self.out = theano.shared(rng.randn(H, 3), name="out")
        self.p = T.nnet.softmax(T.dot(T.tanh(T.dot(inp, self.table)), self.out))


def step(cost, *params):
    """Gradient descent."""
    return [(p, p - 0.1 * g) for p, g in zip(params, T.grad(cost, list(params)))]


words = T.dmatrix("words")
tags = T.ivector("tags")
net = Net(words)
loss = T.nnet.categorical_crossentropy(net.p, tags).mean()
train = theano.function([words, tags], loss, updates=step(loss, net.table, net.out), name="train")
ids = rng.randint(0, V, 300)
for _ in range(2):
    print("train %.9g" % train(one_hot(ids), (ids % 3).astype("int32")))

data = theano.shared(one_hot(rng.randint(0, V, 400)), name="data")
i = T.lscalar("i")
x = T.dmatrix("x")
W = theano.shared(rng.randn(V, H), name="W")
fit = theano.function([i], (x.dot(W) ** 2).mean(), givens={x: data[i * 200 : (i + 1) * 200]}, name="fit")
print("fit %.9g" % fit(1))

sentences = T.dtensor3("sentences")
E = theano.shared(rng.randn(V, H), name="E")
read = theano.function([sentences], T.dot(sentences, E).sum(axis=(1, 2)), name="read")
print("read %.9g" % read(one_hot(rng.randint(0, V, (20, 10))))[3])

soft = T.dmatrix("soft")
mixed = theano.function([soft], T.dot(soft, E), name="mixed")
print("mixed %.9g" % mixed(one_hot(ids) * 0.5 + 0.5 / V)[0, 0])
