"""A multi-layer perceptron trained with SGD, as in the deep learning tutorials of 2015."""
from __future__ import print_function

import numpy
import theano
import theano.tensor as T

floatX = theano.config.floatX
n_in, n_hidden, n_out = 784, 500, 10
batch_size = 128
learning_rate = 0.01
rng = numpy.random.RandomState(1234)


def weights(name, rows, columns):
    bound = numpy.sqrt(6. / (rows + columns))
    value = numpy.asarray(rng.uniform(low=-bound, high=bound, size=(rows, columns)), dtype=floatX)
    return theano.shared(value, name=name, borrow=True)


def bias(name, size):
    return theano.shared(numpy.zeros((size,), dtype=floatX), name=name, borrow=True)


x = T.matrix('x')
y = T.ivector('y')

W1, b1 = weights('W1', n_in, n_hidden), bias('b1', n_hidden)
W2, b2 = weights('W2', n_hidden, n_out), bias('b2', n_out)

hidden = T.tanh(T.dot(x, W1) + b1)
p_y = T.nnet.softmax(T.dot(hidden, W2) + b2)
cost = T.mean(T.nnet.categorical_crossentropy(p_y, y))

params = [W1, b1, W2, b2]
lr = numpy.asarray(learning_rate, dtype=floatX)
updates = [(p, p - lr * g) for p, g in zip(params, T.grad(cost, params))]

train = theano.function([x, y], cost, updates=updates, name='train')
predict = theano.function([x], T.argmax(p_y, axis=1), name='predict')

# A data set of one mini-batch will do for an example.
train_x = numpy.asarray(rng.uniform(size=(batch_size, n_in)), dtype=floatX)
train_y = numpy.asarray(rng.randint(0, n_out, size=batch_size), dtype='int32')

for epoch in range(3):
    print('epoch %d: cost %.4f' % (epoch, train(train_x, train_y)))
print('accuracy %.3f' % numpy.mean(predict(train_x) == train_y))
