"""Small batches to train, and all of the validation set at once to predict."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, labels, loss, train, weights

batch_size = 20000
x, y = T.matrix("x"), T.ivector("y")
W, V = weights(300, 800), weights(800, 10)
p = T.nnet.softmax(T.dot(T.tanh(T.dot(x, W)), V))
step = train([x, y], loss(p, y), [W, V])
predict = theano.function([x], T.argmax(p, axis=1), name="predict")
for _ in range(2):
    step(np.zeros((100, 300), floatX), labels(100))
predict(np.zeros((batch_size, 300), floatX))
