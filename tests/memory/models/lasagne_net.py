"""Lasagne 0.1: convolutions, pooling, dropout and Nesterov momentum; Theano 1.0 has the module of its pooling under another name."""

import sys
import types

import numpy as np
import theano
import theano.tensor as T
from theano.tensor.signal import pool

downsample = types.ModuleType("theano.tensor.signal.downsample")
downsample.max_pool_2d = lambda x, ds, st=None, ignore_border=True, padding=(0, 0), mode="max": pool.pool_2d(
    x, ds, stride=st, ignore_border=ignore_border, pad=padding, mode=mode
)
sys.modules[downsample.__name__] = theano.tensor.signal.downsample = downsample
import lasagne
from lasagne import layers

x, y = T.ftensor4("x"), T.ivector("y")
net = layers.InputLayer((None, 1, 28, 28), x)
for filters in (8, 16):
    net = layers.MaxPool2DLayer(layers.Conv2DLayer(net, filters, (5, 5)), (2, 2))
net = layers.DenseLayer(layers.dropout(net, p=0.5), 64)
net = layers.DenseLayer(layers.dropout(net, p=0.5), 10, nonlinearity=lasagne.nonlinearities.softmax)
params = layers.get_all_params(net, trainable=True)
loss = lasagne.objectives.categorical_crossentropy(layers.get_output(net), y).mean()
train = theano.function([x, y], loss, updates=lasagne.updates.nesterov_momentum(loss, params, 0.01, 0.9))
plain = layers.get_output(net, deterministic=True)
evaluate = theano.function([x, y], [lasagne.objectives.categorical_crossentropy(plain, y).mean(), T.mean(T.eq(T.argmax(plain, axis=1), y))])
for n in (32, 32, 20):
    images, digits = np.zeros((n, 1, 28, 28), "float32"), np.zeros(n, "int32")
    train(images, digits)
    evaluate(images, digits)
