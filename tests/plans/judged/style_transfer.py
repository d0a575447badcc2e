"""Style transfer: the gradient with respect to one large picture, Gram matrices."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, weights
from theano.tensor.signal.pool import pool_2d

side = 600
picture = theano.shared(np.zeros((1, 3, side, side), floatX), name="picture")
photo, art = T.tensor4("photo"), T.tensor4("art")
kernels = [weights(64, 3, 3, 3), weights(64, 64, 3, 3), weights(128, 64, 3, 3), weights(128, 128, 3, 3)]


def features(x):
    """What two layers make of a picture."""
    a = T.nnet.relu(T.nnet.conv2d(x, kernels[0], border_mode="half"))
    b = pool_2d(T.nnet.relu(T.nnet.conv2d(a, kernels[1], border_mode="half")), (2, 2), mode="average_exc_pad", ignore_border=True)
    c = T.nnet.relu(T.nnet.conv2d(b, kernels[2], border_mode="half"))
    return a, T.nnet.relu(T.nnet.conv2d(c, kernels[3], border_mode="half"))


def gram(x):
    """Products of all pairs of channels."""
    x = x.flatten(3)
    return T.tensordot(x, x, axes=([2], [2]))


(a, b), (pa, pb), (sa, sb) = features(picture), features(photo), features(art)
cost = T.sqr(b - pb).mean() + T.sqr(gram(a) - gram(sa)).mean() + T.sqr(gram(b) - gram(sb)).mean()
f = theano.function([photo, art], [cost, T.grad(cost, picture)], name="loss_and_grad")
one = np.zeros((1, 3, side, side), floatX)
f(one, one)
