"""LeNet as it was written for Theano in 2015: 20 steps of SGD, the loss of each on a line."""

from __future__ import print_function

import numpy
import theano
import theano.tensor as T
from theano.tensor.nnet import conv2d
from theano.tensor.signal import downsample

rng = numpy.random.RandomState(23455)


class LeNetConvPoolLayer(object):
    def __init__(self, rng, input, filter_shape, image_shape, poolsize=(2, 2)):
        assert image_shape[1] == filter_shape[1]
        fan_in = numpy.prod(filter_shape[1:])
        fan_out = filter_shape[0] * numpy.prod(filter_shape[2:]) // numpy.prod(poolsize)
        bound = numpy.sqrt(6.0 / (fan_in + fan_out))
        self.W = theano.shared(
            numpy.asarray(rng.uniform(low=-bound, high=bound, size=filter_shape), dtype=theano.config.floatX), borrow=True
        )
        self.b = theano.shared(value=numpy.zeros((filter_shape[0],), dtype=theano.config.floatX), borrow=True)
        conv_out = conv2d(input=input, filters=self.W, filter_shape=filter_shape, image_shape=image_shape)
        pooled_out = downsample.max_pool_2d(input=conv_out, ds=poolsize, ignore_border=True)
        self.output = T.tanh(pooled_out + self.b.dimshuffle("x", 0, "x", "x"))
        self.params = [self.W, self.b]


class HiddenLayer(object):
    def __init__(self, rng, input, n_in, n_out, activation):
        bound = numpy.sqrt(6.0 / (n_in + n_out))
        self.W = theano.shared(numpy.asarray(rng.uniform(-bound, bound, (n_in, n_out)), dtype=theano.config.floatX), name="W", borrow=True)
        self.b = theano.shared(numpy.zeros((n_out,), dtype=theano.config.floatX), name="b", borrow=True)
        self.output = activation(T.dot(input, self.W) + self.b)
        self.params = [self.W, self.b]


class LogisticRegression(object):
    def __init__(self, input, n_in, n_out):
        self.W = theano.shared(numpy.zeros((n_in, n_out), dtype=theano.config.floatX), name="W", borrow=True)
        self.b = theano.shared(numpy.zeros((n_out,), dtype=theano.config.floatX), name="b", borrow=True)
        self.p_y_given_x = T.nnet.softmax(T.dot(input, self.W) + self.b)
        self.y_pred = T.argmax(self.p_y_given_x, axis=1)
        self.params = [self.W, self.b]

    def negative_log_likelihood(self, y):
        return -T.mean(T.log(self.p_y_given_x)[T.arange(y.shape[0]), y])


batch_size, nkerns, batches = 20, (4, 6), 5
labels = rng.randint(0, 7, batches * batch_size)
images = numpy.asarray(rng.uniform(0, 1, (batches * batch_size, 28 * 28)), dtype=theano.config.floatX)
for image, label in zip(images, labels):
    image[label * 112 : (label + 1) * 112] += 1
train_set_x = theano.shared(images, borrow=True)
train_set_y = T.cast(theano.shared(numpy.asarray(labels, dtype=theano.config.floatX), borrow=True), "int32")

index = T.lscalar()
x = T.matrix("x")
y = T.ivector("y")
layer0_input = x.reshape((batch_size, 1, 28, 28))
layer0 = LeNetConvPoolLayer(rng, layer0_input, (nkerns[0], 1, 5, 5), (batch_size, 1, 28, 28))
layer1 = LeNetConvPoolLayer(rng, layer0.output, (nkerns[1], nkerns[0], 5, 5), (batch_size, nkerns[0], 12, 12))
layer2 = HiddenLayer(rng, layer1.output.flatten(2), nkerns[1] * 4 * 4, 30, T.tanh)
layer3 = LogisticRegression(layer2.output, 30, 7)
cost = layer3.negative_log_likelihood(y)
params = layer3.params + layer2.params + layer1.params + layer0.params
grads = T.grad(cost, params)
updates = [(param_i, param_i - 0.1 * grad_i) for param_i, grad_i in zip(params, grads)]
train_model = theano.function(
    [index],
    cost,
    updates=updates,
    givens={x: train_set_x[index * batch_size : (index + 1) * batch_size], y: train_set_y[index * batch_size : (index + 1) * batch_size]},
)

for step in range(20):
    print(repr(float(train_model(step % batches))))
