"""A classifier of sentences by convolutions over words, as it was written for Theano in 2014: 20 steps of SGD, the loss of each on a line."""

from __future__ import print_function

from collections import OrderedDict

import numpy as np
import theano
import theano.tensor as T
from theano.tensor.nnet import conv
from theano.tensor.signal import downsample

rng = np.random.RandomState(3435)


def ReLU(x):
    y = T.maximum(0.0, x)
    return y


def Iden(x):
    y = x
    return y


def as_floatX(variable):
    if isinstance(variable, float):
        return np.cast[theano.config.floatX](variable) if hasattr(np, "cast") else np.asarray(variable, theano.config.floatX)
    return T.cast(variable, theano.config.floatX)


class ConvPool(object):
    def __init__(self, rng, input, filter_shape, image_shape, poolsize, non_linear="relu"):
        fan_in = np.prod(filter_shape[1:])
        fan_out = filter_shape[0] * np.prod(filter_shape[2:]) / np.prod(poolsize)
        if non_linear == "none" or non_linear == "relu":
            self.W = theano.shared(
                np.asarray(rng.uniform(low=-0.01, high=0.01, size=filter_shape), dtype=theano.config.floatX), borrow=True, name="W_conv"
            )
        else:
            bound = np.sqrt(6.0 / (fan_in + fan_out))
            self.W = theano.shared(
                np.asarray(rng.uniform(-bound, bound, filter_shape), dtype=theano.config.floatX), borrow=True, name="W_conv"
            )
        self.b = theano.shared(value=np.zeros((filter_shape[0],), dtype=theano.config.floatX), borrow=True, name="b_conv")
        conv_out = conv.conv2d(input=input, filters=self.W, filter_shape=filter_shape, image_shape=image_shape)
        if non_linear == "relu":
            conv_out = ReLU(conv_out + self.b.dimshuffle("x", 0, "x", "x"))
            self.output = downsample.max_pool_2d(input=conv_out, ds=poolsize, ignore_border=True)
        self.params = [self.W, self.b]


def sgd_updates_adadelta(params, cost, rho=0.95, epsilon=1e-6, norm_lim=9):
    updates = OrderedDict({})
    exp_sqr_grads = OrderedDict({})
    exp_sqr_ups = OrderedDict({})
    gparams = []
    for param in params:
        empty = np.zeros_like(param.get_value())
        exp_sqr_grads[param] = theano.shared(value=as_floatX(empty).eval(), name="exp_grad_%s" % param.name)
        gp = T.grad(cost, param)
        exp_sqr_ups[param] = theano.shared(value=as_floatX(empty).eval(), name="exp_grad_%s" % param.name)
        gparams.append(gp)
    for param, gp in zip(params, gparams):
        exp_sg = exp_sqr_grads[param]
        exp_su = exp_sqr_ups[param]
        up_exp_sg = rho * exp_sg + (1 - rho) * T.sqr(gp)
        updates[exp_sg] = up_exp_sg
        step = -(T.sqrt(exp_su + epsilon) / T.sqrt(up_exp_sg + epsilon)) * gp
        updates[exp_su] = rho * exp_su + (1 - rho) * T.sqr(step)
        stepped_param = param + step
        if (param.get_value(borrow=True).ndim == 2) and (param.name != "Words"):
            col_norms = T.sqrt(T.sum(T.sqr(stepped_param), axis=0))
            desired_norms = T.clip(col_norms, 0, T.sqrt(norm_lim))
            scale = desired_norms / (1e-7 + col_norms)
            updates[param] = stepped_param * scale
        else:
            updates[param] = stepped_param
    return updates


img_h, img_w, batch_size, vocabulary, hidden = 16, 12, 10, 40, 5
filter_hs, batches = [2, 3], 4
U = rng.uniform(-0.25, 0.25, (vocabulary, img_w))
x_data = rng.randint(1, vocabulary, (batches * batch_size, img_h)).astype("int32")
y_data = (x_data[:, :8].sum(axis=1) > x_data[:, 8:].sum(axis=1)).astype("int32")

index = T.lscalar()
x = T.matrix("x")
y = T.ivector("y")
Words = theano.shared(value=U.astype(theano.config.floatX), name="Words")
zero_vec_tensor = T.vector()
set_zero = theano.function([zero_vec_tensor], updates=[(Words, T.set_subtensor(Words[0, :], zero_vec_tensor))], allow_input_downcast=True)
layer0_input = Words[T.cast(x.flatten(), dtype="int32")].reshape((x.shape[0], 1, x.shape[1], Words.shape[1]))
layers, layer1_inputs = [], []
for filter_h in filter_hs:
    layer = ConvPool(rng, layer0_input, (hidden, 1, filter_h, img_w), (batch_size, 1, img_h, img_w), (img_h - filter_h + 1, 1))
    layers.append(layer)
    layer1_inputs.append(layer.output.flatten(2))
layer1_input = T.concatenate(layer1_inputs, 1)
W = theano.shared(value=np.asarray(rng.uniform(-0.1, 0.1, (hidden * 2, 2)), dtype=theano.config.floatX), name="W", borrow=True)
b = theano.shared(value=np.zeros((2,), dtype=theano.config.floatX), name="b", borrow=True)
p_y_given_x = T.nnet.softmax(T.dot(layer1_input, W) + b)
cost = -T.mean(T.log(p_y_given_x)[T.arange(y.shape[0]), y])
params = [W, b] + [p for layer in layers for p in layer.params] + [Words]
updates = sgd_updates_adadelta(params, cost)
train_set_x = theano.shared(np.asarray(x_data, dtype=theano.config.floatX), borrow=True)
train_set_y = T.cast(theano.shared(np.asarray(y_data, dtype=theano.config.floatX), borrow=True), "int32")
train_model = theano.function(
    [index],
    cost,
    updates=updates,
    givens={x: train_set_x[index * batch_size : (index + 1) * batch_size], y: train_set_y[index * batch_size : (index + 1) * batch_size]},
    allow_input_downcast=True,
)
zero_vec = np.zeros(img_w)
for step in range(20):
    print(repr(float(train_model(step % batches))))
    set_zero(zero_vec)
