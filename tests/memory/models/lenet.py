"""LeNet as in the deep-learning tutorials: pooling layers, validation and test models over shared data, negative log-likelihood."""

import numpy as np
import theano
import theano.tensor as T
from theano.tensor.signal import pool
from theano.tensor.nnet import conv2d

rng = np.random.RandomState(23455)


def load(n):
    x = theano.shared(np.asarray(rng.uniform(size=(n, 784)), dtype=theano.config.floatX), borrow=True)
    y = theano.shared(np.asarray(rng.randint(0, 10, n), dtype=theano.config.floatX), borrow=True)
    return x, T.cast(y, "int32")


class LeNetConvPoolLayer(object):
    def __init__(self, input, filter_shape, image_shape, poolsize=(2, 2)):
        fan_in = np.prod(filter_shape[1:])
        self.W = theano.shared(np.asarray(rng.uniform(-1, 1, filter_shape) / fan_in, dtype=theano.config.floatX), borrow=True)
        self.b = theano.shared(np.zeros((filter_shape[0],), dtype=theano.config.floatX), borrow=True)
        out = conv2d(input=input, filters=self.W, filter_shape=filter_shape, input_shape=image_shape)
        self.output = T.tanh(pool.pool_2d(out, poolsize, ignore_border=True) + self.b.dimshuffle("x", 0, "x", "x"))
        self.params = [self.W, self.b]


batch = 20
(train_x, train_y), (valid_x, valid_y) = load(100), load(60)
index, x, y = T.lscalar(), T.matrix("x"), T.ivector("y")
layer0 = LeNetConvPoolLayer(x.reshape((batch, 1, 28, 28)), (6, 1, 5, 5), (batch, 1, 28, 28))
layer1 = LeNetConvPoolLayer(layer0.output, (12, 6, 5, 5), (batch, 6, 12, 12))
W2 = theano.shared(np.asarray(rng.uniform(-0.1, 0.1, (12 * 16, 50)), dtype=theano.config.floatX), name="W", borrow=True)
b2 = theano.shared(np.zeros(50, dtype=theano.config.floatX), name="b", borrow=True)
hidden = T.tanh(T.dot(layer1.output.flatten(2), W2) + b2)
W3 = theano.shared(value=np.zeros((50, 10), dtype=theano.config.floatX), name="W", borrow=True)
b3 = theano.shared(value=np.zeros((10,), dtype=theano.config.floatX), name="b", borrow=True)
p = T.nnet.softmax(T.dot(hidden, W3) + b3)
cost = -T.mean(T.log(p)[T.arange(y.shape[0]), y])
errors = T.mean(T.neq(T.argmax(p, axis=1), y))
valid = theano.function(
    [index], errors, givens={x: valid_x[index * batch : (index + 1) * batch], y: valid_y[index * batch : (index + 1) * batch]}
)
params = [W3, b3, W2, b2] + layer1.params + layer0.params
updates = [(q, q - 0.1 * g) for q, g in zip(params, T.grad(cost, params))]
train = theano.function(
    [index],
    cost,
    updates=updates,
    givens={x: train_x[index * batch : (index + 1) * batch], y: train_y[index * batch : (index + 1) * batch]},
)
for epoch in range(2):
    for i in range(5):
        train(i)
    np.mean([valid(i) for i in range(3)])
