"""Q-learning with a target net, from pictures of a game."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, sgd, weights

batch_size = 200
actions = 6
s, following = T.tensor4("s"), T.tensor4("following")
a, r = T.ivector("a"), T.vector("r")
nets = [[weights(16, 4, 8, 8), weights(32, 16, 4, 4), weights(32 * 9 * 9, 256), weights(256, actions)] for _ in range(2)]


def q(x, net):
    """The value of each action."""
    h = T.nnet.relu(T.nnet.conv2d(x / 255, net[0], subsample=(4, 4)))
    h = T.nnet.relu(T.nnet.conv2d(h, net[1], subsample=(2, 2)))
    return T.dot(T.nnet.relu(T.dot(h.flatten(2), net[2])), net[3])


target = r + np.asarray(0.99, floatX) * q(following, nets[1]).max(axis=1)
cost = T.sqr(theano.gradient.disconnected_grad(target) - q(s, nets[0])[T.arange(a.shape[0]), a]).mean()
train = theano.function([s, a, r, following], cost, updates=sgd(cost, nets[0]), name="train")
copy = theano.function([], updates=list(zip(nets[1], nets[0])), name="copy")
pictures = np.zeros((batch_size, 4, 84, 84), floatX)
copy()
for _ in range(2):
    train(pictures, np.zeros(batch_size, "int32"), np.zeros(batch_size, floatX), pictures)
