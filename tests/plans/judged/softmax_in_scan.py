"""A recurrent language model with the output layer in the step."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, train, weights

behind = False
WORDS, DIM, STEPS, BATCH = 10000, 200, 50, 32
W, U, V, O = weights(WORDS, DIM), weights(DIM, DIM), weights(DIM, DIM), weights(DIM, WORDS)  # noqa: E741
x, y = T.imatrix("x"), T.imatrix("y")
first = T.zeros((x.shape[1], DIM), dtype=floatX)


def step(e, h):
    """The next state, and the scores of the next word."""
    h = T.tanh(T.dot(e, U) + T.dot(h, V))
    return h if behind else (h, T.nnet.softmax(T.dot(h, O)))


found, _ = theano.scan(step, sequences=W[x], outputs_info=first if behind else [first, None])
p = T.nnet.softmax(T.dot(found.reshape((-1, DIM)), O)) if behind else found[1].reshape((-1, WORDS))
cost = T.nnet.categorical_crossentropy(p, y.flatten()).mean()
fit = train([x, y], cost, [W, U, V, O])
for _ in range(2):
    fit(np.zeros((STEPS, BATCH), "int32"), np.zeros((STEPS, BATCH), "int32"))
