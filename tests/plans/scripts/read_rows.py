"""Functions that read rows, each told in another way which ones."""

import numpy as np
import theano
import theano.tensor as T

F = np.float32
W = theano.shared(np.zeros((50, 10), F), name="W")
i, a, b, n, short = T.lscalar("i"), T.lscalar("a"), T.lscalar("b"), T.lscalar("n"), T.iscalar("short")
rate, y, ids, ints = T.fscalar("rate"), T.ivector("y"), T.lvector("ids"), T.ivector("ints")
fifty = np.arange(50)


def train(name, inputs, rows, *values):
    """Compiles and calls a function that trains on the rows `rows(data)`, where `data` is called as the function."""
    data = theano.shared(np.zeros((6000, 50), F), name=name)
    cost = T.sqr(T.dot(rows(data), W)).mean() + (y.sum() if y in inputs else 0)
    step = rate if rate in inputs else F(0.1)
    theano.function(inputs, cost, updates=[(W, W - step * T.grad(cost, W))], name=name)(*values)


train("numbered", [i], lambda data: data[i * 50 : (i + 1) * 50], 2)
train("bounded", [a, b, rate], lambda data: data[a:b], 100, 150, F(0.1))
train("sized", [i, n], lambda data: data[i * n : (i + 1) * n], 3, 50)
train("started", [short, y], lambda data: data[short : short + 50], 100, fifty.astype("int32"))
train("chosen", [ids], lambda data: data[ids], fifty)
train("given", [rate, ints, y], lambda data: data[ints], F(0.1), fifty.astype("int32"), fifty.astype("int32"))
train("single", [i], lambda data: data[i], 7)
