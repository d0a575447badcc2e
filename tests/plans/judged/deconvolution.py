"""A generator of pictures out of noise by transposed convolutions."""

import numpy as np
import theano.tensor as T
from kit import floatX, train, weights

batch_size = 300
z = T.matrix("z")
D, W, V = weights(100, 64 * 8 * 8), weights(64, 32, 5, 5), weights(32, 1, 5, 5)
h = T.nnet.relu(T.dot(z, D)).reshape((z.shape[0], 64, 8, 8))
for kernels, size in ((W, 16), (V, 32)):
    shape = (h.shape[0], kernels.shape[1], size, size)
    h = T.tanh(
        T.nnet.abstract_conv.conv2d_grad_wrt_inputs(h, kernels, input_shape=(None, None, size, size), border_mode="half", subsample=(2, 2))
    )
step = train([z], (h**2).mean(), [D, W, V])
for _ in range(2):
    step(np.zeros((batch_size, 100), floatX))
