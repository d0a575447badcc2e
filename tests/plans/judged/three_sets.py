"""Sets for training, validation and test on the device at once."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, loss, train, weights

batch_size = 100
sizes = {"train": 50000, "valid": 20000, "test": 10000}
hosts = {name: np.zeros((rows, 500), floatX) for name, rows in sizes.items()}
sets = {name: theano.shared(hosts[name][: sizes[name]], name=name, borrow=True) for name in sorted(sizes)}
targets = theano.shared(np.zeros(batch_size, "int32"), name="targets")
W = weights(500, 10)
x, i = T.matrix("x"), T.lscalar("i")
part = slice(i * batch_size, (i + 1) * batch_size)
p = T.nnet.softmax(T.dot(x, W))
step = train([i], loss(p, targets), [W], givens={x: sets["train"][part]})
scores = [theano.function([i], T.argmax(p, axis=1), givens={x: sets[n][part]}, name=n) for n in ("valid", "test")]
for k in range(2):
    step(k)
    for score in scores:
        score(k)
