"""Convolutions and normalisation."""

import numpy as np
import theano
import theano.tensor as T
from kit import *  # noqa: F403


def lenet(update, mode="max", border="valid", batch=50, stride=(1, 1)):
    x, y = T.ftensor4("x"), T.ivector("y")
    from theano.tensor.signal.pool import pool_2d

    C1, b1, C2, b2 = K(20, 1, 5, 5), K(20), K(50, 20, 5, 5), K(50)
    a = T.nnet.conv2d(x, C1, border_mode=border, subsample=stride) + b1.dimshuffle("x", 0, "x", "x")
    a = pool_2d(T.nnet.relu(a), (2, 2), ignore_border=True, mode=mode)
    a = T.nnet.conv2d(a, C2, border_mode=border) + b2.dimshuffle("x", 0, "x", "x")
    a = pool_2d(T.nnet.relu(a), (2, 2), ignore_border=True, mode=mode).flatten(2)
    side = {"valid": 4, "half": 7}[border] if stride == (1, 1) else 3
    W, q = K(50 * side * side, 10), K(10)
    cost = loss(T.dot(a, W) + q, y)
    return [x, y], cost, update(cost, [C1, b1, C2, b2, W, q]), [F(batch, 1, 28, 28), I(batch, 10)]


@function
def lenet_sgd():
    return lenet(sgd)


@function
def lenet_adam_half():
    return lenet(adam, border="half")


@function
def lenet_average_pooling():
    return lenet(sgd, mode="average_exc_pad")


@function
def lenet_strided():
    return lenet(sgd, border="half", stride=(2, 2))


@function
def conv_predict():
    x = T.ftensor4("x")
    a = T.nnet.relu(T.nnet.conv2d(x, K(32, 3, 3, 3), border_mode="half"))
    a = T.nnet.relu(T.nnet.conv2d(a, K(32, 32, 3, 3), border_mode="half", subsample=(2, 2)))
    return [x], T.nnet.softmax(T.dot(a.mean(axis=(2, 3)), K(32, 10))), [], [F(16, 3, 32, 32)]


@function
def conv_batch_norm():
    from theano.tensor.nnet.bn import batch_normalization_train

    x, y = T.ftensor4("x"), T.ivector("y")
    C, g, b, W = K(32, 3, 3, 3), K(1, 32, 1, 1), K(1, 32, 1, 1), K(32, 10)
    gb, bb = [T.addbroadcast(v, 0, 2, 3) for v in (g, b)]
    a = T.nnet.relu(batch_normalization_train(T.nnet.conv2d(x, C, border_mode="half"), gb, bb, axes="spatial")[0])
    cost = loss(T.dot(a.mean(axis=(2, 3)), W), y)
    return [x, y], cost, sgd(cost, [C, g, b, W]), [F(16, 3, 32, 32), I(16, 10)]


@function
def own_batch_norm():
    x, y = T.fmatrix("x"), T.ivector("y")
    W, g, b, V = K(784, 500), K(500), K(500), K(500, 10)
    a = T.dot(x, W)
    a = (a - a.mean(axis=0)) / T.sqrt(a.var(axis=0) + np.float32(1e-4)) * g + b
    cost = loss(T.dot(T.tanh(a), V), y)
    return [x, y], cost, sgd(cost, [W, g, b, V]), [F(300, 784), I(300, 10)]


@function
def layer_norm():
    x = T.ftensor3("x")
    g, b = K(256), K(256)
    m = x.mean(axis=-1, keepdims=True)
    a = (x - m) / T.sqrt(((x - m) ** 2).mean(axis=-1, keepdims=True) + np.float32(1e-5)) * g + b
    cost = (a**3).mean()
    return [x], cost, sgd(cost, [g, b]), [F(32, 50, 256)]


@function
def residual():
    x, y = T.ftensor4("x"), T.ivector("y")
    params, a = [K(16, 3, 3, 3)], None
    a = T.nnet.relu(T.nnet.conv2d(x, params[0], border_mode="half"))
    for _ in range(2):
        C, D = K(16, 16, 3, 3), K(16, 16, 3, 3)
        params += [C, D]
        a = T.nnet.relu(a + T.nnet.conv2d(T.nnet.relu(T.nnet.conv2d(a, C, border_mode="half")), D, border_mode="half"))
    params.append(K(16, 10))
    cost = loss(T.dot(a.mean(axis=(2, 3)), params[-1]), y)
    return [x, y], cost, sgd(cost, params), [F(16, 3, 32, 32), I(16, 10)]


@function
def conv3d():
    x = T.TensorType("float32", (False,) * 5)("x")
    C = K(8, 2, 3, 3, 3)
    cost = (T.nnet.conv3d(x, C) ** 2).mean()
    return [x], cost, sgd(cost, [C]), [F(4, 2, 12, 16, 16)]


@function
def transposed_convolution():
    x = T.ftensor4("x")
    C = K(32, 16, 4, 4)
    out = T.nnet.abstract_conv.conv2d_grad_wrt_inputs(x, C, input_shape=(8, 16, 32, 32), border_mode=(1, 1), subsample=(2, 2))
    cost = (out**2).mean()
    return [x], cost, sgd(cost, [C]), [F(8, 32, 16, 16)]
