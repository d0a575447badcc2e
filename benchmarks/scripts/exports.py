"""Twenty small nets: `exports.py NAME` compiles the function `predict` of one of them and calls it once."""
import sys

import numpy
import theano
import theano.tensor as T
from theano.tensor.nnet import conv2d, relu, sigmoid, softmax
from theano.tensor.signal.pool import pool_2d

rng = numpy.random.RandomState(0)


def weights(*shape):
    """A parameter with random values."""
    return theano.shared((rng.randn(*shape) / max(1, numpy.prod(shape[:-1])) ** 0.5).astype(theano.config.floatX))


def data(*shape):
    """Random inputs."""
    return rng.rand(*shape).astype(theano.config.floatX)


def dense(h, n, m):
    """A layer without a nonlinearity."""
    return T.dot(h, weights(n, m)) + weights(m)


def conv(h, filters, channels, size, **options):
    """A convolution with a bias."""
    return conv2d(h, weights(filters, channels, size, size), **options) + weights(filters).dimshuffle("x", 0, "x", "x")


def unrolled(step, x, *sizes):
    """The states after the last step, over the first axis of `x`."""
    starts = [T.zeros((x.shape[1], n)) for n in sizes]
    states, _ = theano.scan(step, sequences=x, outputs_info=starts)
    return states if isinstance(states, list) else [states]


def regression():
    """Softmax regression."""
    x = T.matrix("x")
    return x, softmax(dense(x, 20, 5)), data(4, 20)


def mlp():
    """Two hidden layers."""
    x = T.matrix("x")
    return x, softmax(dense(T.tanh(dense(T.tanh(dense(x, 20, 30)), 30, 30)), 30, 5)), data(4, 20)


def maxout():
    """Two pieces a unit."""
    x = T.matrix("x")
    return x, softmax(dense(T.maximum(dense(x, 20, 30), dense(x, 20, 30)), 30, 5)), data(4, 20)


def highway():
    """Three layers with gates."""
    x = T.matrix("x")
    h = relu(dense(x, 20, 16))
    for _ in range(3):
        gate = sigmoid(dense(h, 16, 16))
        h = gate * relu(dense(h, 16, 16)) + (1 - gate) * h
    return x, softmax(dense(h, 16, 5)), data(4, 20)


def normalised():
    """Batch normalisation with fixed statistics."""
    x = T.matrix("x")
    scaled = T.nnet.bn.batch_normalization_test(dense(x, 20, 16), *[abs(weights(16)) + 0.1 for _ in range(4)], axes=(0,))
    return x, softmax(dense(relu(scaled), 16, 5)), data(4, 20)


def autoencoder():
    """Weights used both ways."""
    x, w = T.matrix("x"), weights(20, 8)
    return x, sigmoid(T.dot(sigmoid(T.dot(x, w)), w.T)), data(4, 20)


def variational():
    """Mean and deviation of a code, and the picture of the mean."""
    x = T.matrix("x")
    h = T.nnet.softplus(dense(x, 20, 16))
    mean = dense(h, 16, 4)
    return x, [mean, T.exp(0.5 * dense(h, 16, 4)), sigmoid(dense(T.tanh(dense(mean, 4, 16)), 16, 20))], data(4, 20)


def boltzmann():
    """Five steps of mean fields of a Boltzmann machine."""
    x, w = T.matrix("x"), weights(20, 8)
    fields, _ = theano.scan(lambda v: sigmoid(T.dot(sigmoid(T.dot(v, w)), w.T)), outputs_info=x, n_steps=5)
    return x, fields[-1], data(4, 20)


def lenet():
    """Two convolutions with pooling."""
    x = T.tensor4("x")
    h = T.tanh(pool_2d(conv(x, 4, 1, 5), (2, 2), ignore_border=True))
    h = T.tanh(pool_2d(conv(h, 6, 4, 3), (2, 2), ignore_border=True))
    return x, softmax(dense(h.flatten(2), 6 * 5 * 5, 10)), data(3, 1, 28, 28)


def vgg():
    """Convolutions that keep the size."""
    x = T.tensor4("x")
    h = relu(conv(relu(conv(x, 4, 3, 3, border_mode="half")), 4, 4, 3, border_mode="half"))
    return x, softmax(dense(pool_2d(h, (2, 2), ignore_border=True).flatten(2), 4 * 8 * 8, 10)), data(3, 3, 16, 16)


def residual():
    """A sum around two convolutions, and the mean of each channel."""
    x = T.tensor4("x")
    h = relu(conv(x, 4, 3, 3, border_mode="half"))
    h = relu(h + conv(relu(conv(h, 4, 4, 3, border_mode="half")), 4, 4, 3, border_mode="half"))
    return x, softmax(dense(h.mean(axis=(2, 3)), 4, 10)), data(3, 3, 12, 12)


def strided():
    """Strides, a dilated convolution, and averages."""
    x = T.tensor4("x")
    h = relu(conv(x, 4, 3, 3, subsample=(2, 2)))
    h = relu(conv(h, 4, 4, 2, filter_dilation=(2, 2)))
    return x, pool_2d(h, (2, 2), ignore_border=True, mode="average_exc_pad"), data(3, 3, 17, 17)


def upsampled():
    """Elements repeated, then a convolution: the decoder of pictures."""
    x = T.tensor4("x")
    h = T.repeat(T.repeat(relu(conv(x, 4, 3, 3, border_mode="half")), 2, axis=2), 2, axis=3)
    return x, sigmoid(conv(h, 1, 4, 3, border_mode="half")), data(2, 3, 8, 8)


def sentences():
    """Convolutions over the vectors of words, and the largest of each."""
    x = T.lmatrix("x")
    vectors = weights(50, 8)[x].dimshuffle(0, "x", 1, 2)
    found = [relu(conv2d(vectors, weights(5, 1, n, 8))).max(axis=(2, 3)) for n in (2, 3)]
    return x, softmax(dense(T.concatenate(found, axis=1), 10, 2)), rng.randint(0, 50, (4, 9))


def bag():
    """The mean of the vectors of words."""
    x = T.lmatrix("x")
    return x, softmax(dense(weights(50, 8)[x].mean(axis=1), 8, 3)), rng.randint(0, 50, (4, 9))


def elman():
    """A plain recurrent net."""
    x, u = T.tensor3("x"), weights(12, 12)
    (h,) = unrolled(lambda now, before: T.tanh(now + T.dot(before, u)), dense(x, 6, 12), 12)
    return x, softmax(dense(h[-1], 12, 4)), data(7, 3, 6)


def gru():
    """Gated recurrent units."""
    x, u, v = T.tensor3("x"), weights(12, 24), weights(12, 12)

    def step(now, before):
        gates = sigmoid(now[:, :24] + T.dot(before, u))
        new = T.tanh(now[:, 24:] + gates[:, :12] * T.dot(before, v))
        return gates[:, 12:] * before + (1 - gates[:, 12:]) * new

    (h,) = unrolled(step, dense(x, 6, 36), 12)
    return x, softmax(dense(h[-1], 12, 4)), data(7, 3, 6)


def lstm():
    """Long short-term memory."""
    x, u = T.tensor3("x"), weights(12, 48)

    def step(now, h, c):
        gates = now + T.dot(h, u)
        i, f, o = (sigmoid(gates[:, 12 * k : 12 * (k + 1)]) for k in range(3))
        c = f * c + i * T.tanh(gates[:, 36:])
        return o * T.tanh(c), c

    h, _ = unrolled(step, dense(x, 6, 48), 12, 12)
    return x, softmax(dense(h[-1], 12, 4)), data(7, 3, 6)


def bidirectional():
    """Two recurrent nets, one of which reads backwards; a label for each step."""
    x, u, v = T.tensor3("x"), weights(12, 12), weights(12, 12)
    (there,) = unrolled(lambda now, before: T.tanh(now + T.dot(before, u)), dense(x, 6, 12), 12)
    (back,) = unrolled(lambda now, before: T.tanh(now + T.dot(before, v)), dense(x[::-1], 6, 12), 12)
    h = T.concatenate([there, back[::-1]], axis=2)
    return x, T.argmax(dense(h, 24, 4), axis=2), data(7, 3, 6)


def attention():
    """The states of a recurrent net, weighted by what they say."""
    x, u = T.tensor3("x"), weights(12, 12)
    (h,) = unrolled(lambda now, before: T.tanh(now + T.dot(before, u)), dense(x, 6, 12), 12)
    shares = softmax(T.dot(T.tanh(dense(h, 12, 8)), weights(8)).T)
    return x, [softmax(dense((h * shares.T.dimshuffle(0, 1, "x")).sum(axis=0), 12, 4)), shares], data(7, 3, 6)


x, outputs, inputs = globals()[sys.argv[1]]()
predict = theano.function([x], outputs)
predict(inputs)
