"""A recurrent net over a long sequence, with its gradient."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, labels, loss, train, weights

batch_size = 300
steps, units = 60, 128
x, y = T.tensor3("x"), T.ivector("y")
W, U, V = weights(32, units), weights(units, units), weights(units, 5)
start = T.alloc(np.asarray(0, floatX), x.shape[1], units)
h, _ = theano.scan(lambda x_t, h, U: T.tanh(x_t + T.dot(h, U)), sequences=[T.dot(x, W)], outputs_info=[start], non_sequences=[U])
step = train([x, y], loss(T.nnet.softmax(T.dot(h[-1], V)), y), [W, U, V])
for _ in range(2):
    step(np.zeros((steps, batch_size, 32), floatX), labels(batch_size))
