"""A small VGG with batch normalisation over maps: running means kept in the training step, used by the test; pools, dropout, momentum."""
import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.nnet import bn
from theano.tensor.signal.pool import pool_2d

rng, srng = np.random.RandomState(1), MRG_RandomStreams(3)
params, running = [], []


def shared(value, kept):
    kept.append(theano.shared(np.asarray(value, dtype="float32")))
    return kept[-1]


class Block(object):
    def __init__(self, before, after):
        self.W = shared(rng.randn(after, before, 3, 3) * np.sqrt(2.0 / (9 * before)), params)
        self.gamma, self.beta = shared(np.ones((1, after, 1, 1)), params), shared(np.zeros((1, after, 1, 1)), params)
        self.mean, self.var = shared(np.zeros((1, after, 1, 1)), running), shared(np.ones((1, after, 1, 1)), running)

    def __call__(self, maps, updates):
        maps = T.nnet.conv2d(maps, self.W, border_mode="half")
        gamma, beta, mean, var = [T.addbroadcast(v, 0, 2, 3) for v in (self.gamma, self.beta, self.mean, self.var)]
        if updates is None:
            return T.nnet.relu(bn.batch_normalization_test(maps, gamma, beta, mean, var, "spatial"))
        out, _, _, new_mean, new_var = bn.batch_normalization_train(
            maps, gamma, beta, "spatial", running_average_factor=0.1, running_mean=mean, running_var=var
        )
        updates += [(self.mean, T.unbroadcast(new_mean, 0, 2, 3)), (self.var, T.unbroadcast(new_var, 0, 2, 3))]
        return T.nnet.relu(out)


x, y = T.tensor4("x", dtype="float32"), T.ivector("y")
blocks = [[Block(3, 12), Block(12, 12)], [Block(12, 24), Block(24, 24)]]
W, b = shared(rng.randn(24, 10) * 0.1, params), shared(np.zeros(10), params)


def network(maps, updates):
    for first, second in blocks:
        maps = pool_2d(second(first(maps, updates), updates), (2, 2), ignore_border=True)
        if updates is not None:
            maps = maps * srng.binomial(maps.shape, p=0.7, dtype="float32")
    return T.nnet.softmax(T.dot(maps.mean(axis=(2, 3)), W) + b)


updates = []
cost = T.nnet.categorical_crossentropy(network(x, updates), y).mean()
for p, g in zip(params, T.grad(cost, params)):
    velocity = theano.shared(np.zeros_like(p.get_value()))
    v = np.float32(0.9) * velocity - np.float32(0.01) * g
    updates += [(velocity, v), (p, p + v)]
train = theano.function([x, y], cost, updates=updates, name="train")
test = theano.function([x, y], T.eq(T.argmax(network(x, None), axis=1), y).mean(), name="test")

images, labels = rng.rand(40, 3, 20, 20).astype("float32"), rng.randint(0, 10, 40).astype("int32")
for start in (0, 16, 32):
    train(images[start : start + 16], labels[start : start + 16])
test(images, labels)
