"""A convolutional net of Lasagne 0.1 with momentum: prints the loss of each step."""

import json

import lasagne
import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(3)
x = rng.rand(32, 1, 8, 8).astype("float32")
y = ((x.sum(axis=(1, 2, 3)) * 3).astype("int32") % 3).astype("int32")
inputs, targets = T.tensor4("inputs"), T.ivector("targets")
net = lasagne.layers.InputLayer((None, 1, 8, 8), inputs)
net = lasagne.layers.Conv2DLayer(net, 4, 3, nonlinearity=lasagne.nonlinearities.rectify)
net = lasagne.layers.MaxPool2DLayer(net, 2)
net = lasagne.layers.DenseLayer(net, 3, nonlinearity=lasagne.nonlinearities.softmax)
lasagne.layers.set_all_param_values(
    net, [rng.uniform(-0.5, 0.5, p.shape).astype("float32") for p in lasagne.layers.get_all_param_values(net)]
)
loss = lasagne.objectives.categorical_crossentropy(lasagne.layers.get_output(net), targets).mean()
updates = lasagne.updates.nesterov_momentum(loss, lasagne.layers.get_all_params(net, trainable=True), 0.3, 0.9)
train = theano.function([inputs, targets], loss, updates=updates)
print(json.dumps([float(train(x, y)) for _ in range(20)]))
