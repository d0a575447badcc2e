"""LeNet as scripts of 2015 wrote it: the old conv2d, max pooling, and minibatches of shared data by givens."""
from __future__ import print_function

import numpy
import theano
import theano.tensor as T
from theano.tensor.nnet import conv

try:
    from theano.tensor.signal.downsample import max_pool_2d
except ImportError:
    from theano.tensor.signal.pool import pool_2d as max_pool_2d

floatX = theano.config.floatX
rng = numpy.random.RandomState(23455)
batch_size, n_batches, n_epochs, learning_rate = 20, 5, 2, 0.1
n_kernels = (6, 10)


def digits(count):
    """Pictures of 28 x 28 with a bright bar whose place is the class."""
    classes = rng.randint(0, 10, count)
    pictures = rng.uniform(0, 0.3, (count, 28, 28))
    for k, c in enumerate(classes):
        pictures[k, 2 * c + 3:2 * c + 7, 4:24] += 0.7
    return (theano.shared(pictures.reshape(count, 784).astype(floatX), borrow=True),
            T.cast(theano.shared(classes.astype(floatX), borrow=True), 'int32'))


class LeNetConvPoolLayer(object):
    def __init__(self, input, filter_shape, image_shape, poolsize=(2, 2)):
        fan_in = numpy.prod(filter_shape[1:])
        fan_out = filter_shape[0] * numpy.prod(filter_shape[2:]) / numpy.prod(poolsize)
        bound = numpy.sqrt(6. / (fan_in + fan_out))
        self.W = theano.shared(numpy.asarray(rng.uniform(low=-bound, high=bound, size=filter_shape), dtype=floatX), borrow=True)
        self.b = theano.shared(numpy.zeros((filter_shape[0],), dtype=floatX), borrow=True)
        conv_out = conv.conv2d(input=input, filters=self.W, filter_shape=filter_shape, image_shape=image_shape)
        pooled_out = max_pool_2d(conv_out, poolsize, ignore_border=True)
        self.output = T.tanh(pooled_out + self.b.dimshuffle('x', 0, 'x', 'x'))
        self.params = [self.W, self.b]


class Layer(object):
    def __init__(self, input, n_in, n_out, activation):
        bound = numpy.sqrt(6. / (n_in + n_out))
        self.W = theano.shared(numpy.asarray(rng.uniform(low=-bound, high=bound, size=(n_in, n_out)), dtype=floatX), borrow=True)
        self.b = theano.shared(numpy.zeros((n_out,), dtype=floatX), borrow=True)
        self.output = activation(T.dot(input, self.W) + self.b)
        self.params = [self.W, self.b]


train_x, train_y = digits(batch_size * n_batches)
index = T.lscalar()
x, y = T.matrix('x'), T.ivector('y')

layer0 = LeNetConvPoolLayer(x.reshape((batch_size, 1, 28, 28)), (n_kernels[0], 1, 5, 5), (batch_size, 1, 28, 28))
layer1 = LeNetConvPoolLayer(layer0.output, (n_kernels[1], n_kernels[0], 5, 5), (batch_size, n_kernels[0], 12, 12))
layer2 = Layer(layer1.output.flatten(2), n_kernels[1] * 4 * 4, 50, T.tanh)
layer3 = Layer(layer2.output, 50, 10, T.nnet.softmax)

cost = -T.mean(T.log(layer3.output)[T.arange(y.shape[0]), y])
errors = T.mean(T.neq(T.argmax(layer3.output, axis=1), y))
params = layer3.params + layer2.params + layer1.params + layer0.params
updates = [(param, param - learning_rate * grad) for param, grad in zip(params, T.grad(cost, params))]
batch = {x: train_x[index * batch_size:(index + 1) * batch_size], y: train_y[index * batch_size:(index + 1) * batch_size]}
train = theano.function([index], [cost, errors], updates=updates, givens=batch)

if __name__ == '__main__':
    for epoch in range(n_epochs):
        for k in range(n_batches):
            value, wrong = train(k)
            print('epoch %i, batch %i: cost %.4f, errors %.2f' % (epoch, k, value, wrong))
