"""A GRU language model of characters with momentum and clipped gradients, truncated and read backwards too."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(3)
floatX = theano.config.floatX
text = "the quick brown fox jumps over the lazy dog and runs away from the quick brown cat " * 4
chars = sorted(set(text))
index = dict((c, i) for i, c in enumerate(chars))
K, H = len(chars), 20


def weights(*shape):
    return theano.shared((rng.uniform(-1, 1, shape) * np.sqrt(1.0 / shape[0])).astype(floatX))


E = weights(K, H)
Wz, Wr, Wh = [weights(H, H) for _ in range(3)]
Uz, Ur, Uh = [weights(H, H) for _ in range(3)]
bz, br, bh = [theano.shared(np.zeros(H, dtype=floatX)) for _ in range(3)]
V, c = weights(2 * H, K), theano.shared(np.zeros(K, dtype=floatX))
params = [E, Wz, Wr, Wh, Uz, Ur, Uh, bz, br, bh, V, c]


def step(x_t, h_tm1, Uz, Ur, Uh):
    z = T.nnet.hard_sigmoid(T.dot(x_t, Wz) + T.dot(h_tm1, Uz) + bz)
    r = T.nnet.sigmoid(T.dot(x_t, Wr) + T.dot(h_tm1, Ur) + br)
    candidate = T.tanh(T.dot(x_t, Wh) + T.dot(r * h_tm1, Uh) + bh)
    return z * h_tm1 + (1 - z) * candidate


x, y = T.ivector("x"), T.ivector("y")
emb = E[x]
h0 = T.zeros((H,), dtype=floatX)
forward, _ = theano.scan(step, sequences=emb, outputs_info=[h0], non_sequences=[Uz, Ur, Uh], truncate_gradient=8, strict=False)
backward, _ = theano.scan(fn=step, sequences=emb, outputs_info=[dict(initial=h0, taps=[-1])], non_sequences=[Uz, Ur, Uh], go_backwards=True)
hidden = T.concatenate([forward, backward[::-1]], axis=1)
p = T.nnet.softmax(T.dot(hidden, V) + c)
cost = T.nnet.categorical_crossentropy(p, y).mean()
grads = T.grad(cost, params)
norm = T.sqrt(sum(T.sum(g**2) for g in grads))
lr = T.scalar("lr")
updates = []
for param, g in zip(params, grads):
    g = T.switch(T.ge(norm, 1.0), g / norm, g)
    v = theano.shared(np.zeros_like(param.get_value()))
    updates += [(v, 0.9 * v - lr * g), (param, param + 0.9 * v - lr * g)]
train = theano.function([x, y, theano.In(lr, value=np.asarray(0.1, dtype=floatX))], cost, updates=updates)

codes = np.array([index[ch] for ch in text], dtype="int32")
for i in range(25):
    start = i * 11 % (len(codes) - 31)
    print(repr(float(train(codes[start : start + 30], codes[start + 1 : start + 31]))))
