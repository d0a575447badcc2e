"""Features of all images in one call, three layers of them returned."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX
rng = np.random.RandomState(15)
batch_size = 1000
images = T.tensor4("images")
h, outs = images, []
for n_in, n_out in ((1, 16), (16, 32), (32, 32)):
    W = theano.shared((rng.randn(n_out, n_in, 5, 5) * 0.01).astype(floatX))
    h = T.nnet.relu(T.nnet.conv2d(h, W, subsample=(2, 2)))
    outs.append(h.flatten(2))
extract = theano.function([images], outs, name="extract")
data = rng.rand(2000, 1, 48, 48).astype(floatX)
for k in range(0, 2000, batch_size):
    extract(data[k : k + batch_size])
