"""A generator of pictures and its judge, trained in turn."""

import numpy as np
import theano
import theano.tensor as T
from kit import adam, floatX, weights
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.nnet.abstract_conv import conv2d_grad_wrt_inputs

batch_size = 128
x = T.tensor4("x")
rng = MRG_RandomStreams(1)
gen = [weights(100, 64 * 7 * 7), weights(64, 32, 5, 5), weights(32, 1, 5, 5)]
judge = [weights(32, 1, 5, 5), weights(64, 32, 5, 5), weights(64 * 7 * 7, 1)]


def up(h, W, channels, side):
    """A convolution turned round."""
    return conv2d_grad_wrt_inputs(h, W, (None, channels, side, side), border_mode="half", subsample=(2, 2))


def judged(x):
    """How real the pictures look."""
    h = T.nnet.relu(T.nnet.conv2d(x, judge[0], border_mode="half", subsample=(2, 2)), 0.2)
    h = T.nnet.relu(T.nnet.conv2d(h, judge[1], border_mode="half", subsample=(2, 2)), 0.2)
    return T.nnet.sigmoid(T.dot(h.flatten(2), judge[2]))


z = rng.uniform((x.shape[0], 100), dtype=floatX)
h = T.nnet.relu(T.dot(z, gen[0])).reshape((x.shape[0], 64, 7, 7))
made = T.tanh(up(T.nnet.relu(up(h, gen[1], 32, 14)), gen[2], 1, 28))
real, fake = judged(x), judged(made)
judge_cost, gen_cost = -(T.log(real) + T.log(1 - fake)).mean(), -T.log(fake).mean()
train_judge = theano.function([x], judge_cost, updates=adam(judge_cost, judge), name="train_judge")
train_gen = theano.function([x], gen_cost, updates=adam(gen_cost, gen), name="train_gen")
for _ in range(2):
    train_judge(np.zeros((batch_size, 1, 28, 28), floatX))
    train_gen(np.zeros((batch_size, 1, 28, 28), floatX))
