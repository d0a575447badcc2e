"""Slices of a chunk on the device, each picture in four rotations, whose scores are averaged."""

import numpy as np
import theano
import theano.tensor as T
import theano.tensor.signal.pool

batch_size = 128
rows = 1024
floatX = theano.config.floatX
data = theano.shared(np.zeros((rows, 1, 47, 47), floatX), borrow=True, name="chunk_x")
labels = theano.shared(np.zeros(rows, "int32"), name="chunk_y")
i = T.lscalar("i")
x, y = data[i * batch_size : (i + 1) * batch_size], labels[i * batch_size : (i + 1) * batch_size]
turned = [x[:, :, ::-1].dimshuffle(0, 1, 3, 2), x[:, :, ::-1, ::-1], x.dimshuffle(0, 1, 3, 2)[:, :, ::-1]]
h, params = T.concatenate([x, *turned], axis=0), []
for inputs, outputs in ((1, 16), (16, 32)):
    W = theano.shared(np.zeros((outputs, inputs, 3, 3), floatX))
    params.append(W)
    h = T.nnet.relu(T.nnet.conv2d(h, W, border_mode="half"))
    h = T.signal.pool.pool_2d(h, (2, 2), ignore_border=True)
D, P = (theano.shared(np.zeros(s, floatX)) for s in ((32 * 11 * 11, 64), (64, 10)))
params += [D, P]
h = T.dot(h.flatten(2), D).reshape((4, -1, 64)).mean(0)
cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(h, P)), y).mean()
updates = [(v, v - np.asarray(0.1, floatX) * g) for v, g in zip(params, T.grad(cost, params))]
train = theano.function([i], cost, updates=updates, name="train")
for k in range(3):
    train(k)
