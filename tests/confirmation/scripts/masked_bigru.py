"""A bidirectional GRU over sentences of unequal lengths: masks, attention over the states, gradients clipped step by step, AdaGrad."""
import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(2)
VOCABULARY, EMBED, HIDDEN, CLASSES = 200, 20, 28, 4


def shared(*shape):
    return theano.shared((rng.randn(*shape) * 0.1).astype("float32"))


E = theano.shared((rng.randn(VOCABULARY, EMBED) * 0.1).astype("float32"), name="E")
x, mask, y = T.imatrix("x"), T.matrix("mask", dtype="float32"), T.ivector("y")


class GRU(object):
    def __init__(self):
        self.W, self.U, self.b = shared(EMBED, 3 * HIDDEN), shared(HIDDEN, 2 * HIDDEN), shared(3 * HIDDEN)
        self.V, self.h0 = shared(HIDDEN, HIDDEN), shared(HIDDEN)
        self.params = [self.W, self.U, self.b, self.V, self.h0]

    def step(self, x_t, m_t, h):
        h = theano.gradient.grad_clip(h, -5, 5)
        gates = T.nnet.sigmoid(x_t[:, : 2 * HIDDEN] + T.dot(h, self.U))
        z, r = gates[:, :HIDDEN], gates[:, HIDDEN:]
        new = T.tanh(x_t[:, 2 * HIDDEN :] + T.dot(r * h, self.V))
        m = m_t.dimshuffle(0, "x")
        return m * (z * h + (1 - z) * new) + (1 - m) * h

    def states(self, sentences, backwards):
        start = T.alloc(self.h0.dimshuffle("x", 0), sentences.shape[1], HIDDEN)
        h, _ = theano.scan(self.step, [T.dot(sentences, self.W) + self.b, mask], [start], go_backwards=backwards)
        return h[::-1] if backwards else h


forth, back = GRU(), GRU()
v, W, b = shared(2 * HIDDEN), shared(2 * HIDDEN, CLASSES), shared(CLASSES)
sentences = E[x]
h = T.concatenate([forth.states(sentences, False), back.states(sentences, True)], axis=2)
energy = T.exp(T.tanh(T.dot(h, v))) * mask
attention = energy / energy.sum(axis=0, keepdims=True)
summary = (h * attention.dimshuffle(0, 1, "x")).sum(axis=0)
p = T.nnet.softmax(T.dot(summary, W) + b)
cost = T.nnet.categorical_crossentropy(p, y).mean()
params = [E, v, W, b] + forth.params + back.params
updates = []
for param, g in zip(params, T.grad(cost, params)):
    total = theano.shared(np.zeros_like(param.get_value()))
    updates += [(total, total + g**2), (param, param - np.float32(0.1) * g / T.sqrt(total + g**2 + np.float32(1e-6)))]
train = theano.function([x, mask, y], cost, updates=updates, name="train")
attend = theano.function([x, mask], [T.argmax(p, axis=1), attention], name="attend")


def batch(n, longest):
    lengths = rng.randint(1, longest + 1, n)
    lengths[0] = longest
    m = (np.arange(longest)[:, None] < lengths[None, :]).astype("float32")
    return (rng.randint(0, VOCABULARY, (longest, n)) * m).astype("int32"), m


for n, longest in ((20, 12), (20, 7), (9, 15)):
    words, m = batch(n, longest)
    train(words, m, rng.randint(0, CLASSES, n).astype("int32"))
attend(*batch(3, 5))
