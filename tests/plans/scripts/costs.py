"""Functions that train, by how their cost depends on the rows."""

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

F = np.float32
rng = np.random.RandomState(0)
x, y = T.fmatrix("x"), T.ivector("y")
W = theano.shared((rng.randn(6, 6) * 0.1).astype(F), name="W")
V = theano.shared((rng.randn(6, 3) * 0.1).astype(F), name="V")
b = theano.shared(np.zeros(6, F), name="b")


def entropy(h):
    return T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(h, V)), y)


z = T.dot(x, W) + b
hidden = T.nnet.relu(z)
dropped = hidden * MRG_RandomStreams(1).binomial(hidden.shape, p=0.5, dtype="float32")
normed = T.nnet.relu((z - z.mean(0)) / T.sqrt(z.var(0) + F(1e-4)))
mask = T.cast(T.gt(y, 0), "float32")
pairs = T.nnet.softplus(-T.dot(hidden, hidden.T))
decay = F(1e-4) * (W**2).sum()
mean = entropy(hidden).mean()
loglik = -T.mean(T.log(T.nnet.softmax(T.dot(hidden, V)))[T.arange(y.shape[0]), y])

MEAN = {"mean": mean, "decayed": mean + decay, "dropout": entropy(dropped).mean(), "loglik": loglik}
SUM = {"total": entropy(hidden).sum()}
MIXED = {
    "total_decayed": entropy(hidden).sum() + decay,
    "normalised": entropy(normed).mean(),
    "masked": (entropy(hidden) * mask).sum() / mask.sum(),
    "all_pairs": pairs.mean(),
    "root": T.sqrt(T.sqr(hidden).mean()),
}


def descent(cost):
    """Plain gradient descent."""
    grads = T.grad(cost, [W, b, V], disconnected_inputs="ignore")
    return [(p, p - F(0.1) * g) for p, g in zip([W, b, V], grads)]


def adam(cost):
    """Squares of gradients are state too."""
    updates = []
    for p, g in zip([W, b, V], T.grad(cost, [W, b, V], disconnected_inputs="ignore")):
        m, v = theano.shared(p.get_value() * 0), theano.shared(p.get_value() * 0)
        m2, v2 = F(0.9) * m + F(0.1) * g, F(0.99) * v + F(0.01) * g**2
        updates += [(m, m2), (v, v2), (p, p - F(0.001) * m2 / (T.sqrt(v2) + F(1e-8)))]
    return updates


for name, cost in list(MEAN.items()) + list(SUM.items()) + list(MIXED.items()):
    for rule in (descent, adam):
        for returned in (True, False):
            train = theano.function(
                [x, y],
                cost if returned else [],
                updates=rule(cost),
                on_unused_input="ignore",
                name="{} {} {}".format(name, rule.__name__, "returned" if returned else "silent"),
            )
            train(rng.randn(12, 6).astype(F), np.arange(12, dtype="int32") % 3)
