"""Convolution and pooling; each line with a mark has another form behind it, which is planted by a test."""

import numpy as np
import theano
import theano.tensor as T
from theano.tensor.nnet import conv2d
from theano.tensor.signal.pool import pool_2d

rng = np.random.RandomState(5)
images = rng.normal(size=(2, 2, 9, 9))
x = T.tensor4("x", dtype="float64")
K = theano.shared(rng.normal(size=(3, 2, 3, 3)), name="K")
b = theano.shared(rng.normal(size=3), name="b")
maps = conv2d(x, K)  #: a flipped kernel: maps = conv2d(x, K, filter_flip=False)
maps = T.maximum(maps + b.dimshuffle("x", 0, "x", "x"), 0)
small = pool_2d(maps, (2, 2), ignore_border=True)  #: ignore_border: small = pool_2d(maps, (2, 2), ignore_border=False)
K2 = theano.shared(rng.normal(size=(2, 3, 2, 2)), name="K2")
more = conv2d(small, K2, border_mode="half")  #: other padding: more = conv2d(small, K2, border_mode="valid")
more = T.tanh(more)
last = conv2d(more, K2.dimshuffle(1, 0, 2, 3), subsample=(2, 2))  #: stride: last = conv2d(more, K2.dimshuffle(1, 0, 2, 3), subsample=(1, 2))
flat = last.flatten(2)
out = flat.sum(axis=1)  #: sum of maps: out = flat.max(axis=1)
f = theano.function([x], out)
f(images)
