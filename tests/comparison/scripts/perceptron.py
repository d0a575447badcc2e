"""A perceptron with momentum; each line with a mark has another form behind it, which is planted by a test."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(3)
data = rng.normal(size=(12, 5))
labels = rng.randint(0, 4, size=12)


class Layer:
    """One affine layer."""

    def __init__(self, given, n_in, n_out, name):
        self.W = theano.shared(rng.normal(size=(n_in, n_out)), name="W" + name)
        self.b = theano.shared(rng.normal(size=n_out), name="b" + name)
        lin = T.dot(given, self.W)
        lin = lin + self.b  #: missing bias: lin = lin
        self.output = T.tanh(lin)  #: other activation: self.output = T.nnet.sigmoid(lin)


x = T.matrix("x", dtype="float64")
y = T.ivector("y")
scaled = (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-6)  #: other reduction axis: scaled = (x - x.mean(axis=0)) / (x.std(axis=0).max() + 1e-6)
first = Layer(scaled, 5, 6, "1")
second = Layer(first.output, 6, 4, "2")
p = T.nnet.softmax(second.output)
right = p[T.arange(y.shape[0]), y]
nll = -T.log(right + 1e-2)  #: eps missing in log: nll = -T.log(right)
cost = nll.mean()  #: mean for sum: cost = nll.sum()
penalty = sum((w**2).sum() for w in (first.W, second.W))
cost = cost + 0.01 * penalty  #: wrong sign: cost = cost - 0.01 * penalty
params = [first.W, first.b, second.W, second.b]
updates = []
for param, grad in zip(params, T.grad(cost, params, disconnected_inputs="ignore")):
    velocity = theano.shared(np.zeros(param.get_value().shape), name="v_" + param.name)
    moved = 0.9 * velocity - 0.05 * grad  #: changed learning rate: moved = 0.9 * velocity - 0.5 * grad
    updates.append((velocity, moved))
    updates.append((param, param + moved))  #: order of updates: updates.append((param, param + velocity))
guess = T.argmax(p, axis=1)  #: argmax axis: guess = T.argmax(p.T[:, :4], axis=1)
wrong = T.neq(guess, y[: guess.shape[0]]).sum()
train = theano.function([x, y], [cost], updates=updates)  #: lost update: train = theano.function([x, y], [cost], updates=updates[:-1])
test = theano.function([x, y], [wrong, guess])
for n in range(3):
    mine = labels[4 * n : 4 * n + 4].astype("int32")
    train(data[4 * n : 4 * n + 4], mine)  #: off-by-one slice of the data: train(data[4 * n - n % 2 : 4 * n + 4 - n % 2], mine)
test(data, labels.astype("int32"))
