"""An encoder and a decoder with additive attention (scan within the gradient), trained with Adadelta; greedy decoding."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(3)
f32 = lambda *s: (rng.randn(*s) * 0.1).astype("float32")
S = lambda *s: theano.shared(f32(*s))
V, E, H = 60, 16, 24
emb, We, Ue, Wd, Ud, Cd, Wa, Ua, va, Wo = (
    S(V, E),
    S(E, 3 * H),
    S(H, 3 * H),
    S(E, 3 * H),
    S(H, 3 * H),
    S(H, 3 * H),
    S(H, H),
    S(H, H),
    S(H),
    S(H, V),
)
params = [emb, We, Ue, Wd, Ud, Cd, Wa, Ua, va, Wo]


def gru(z, h, U):
    r = T.nnet.sigmoid(z[:, :H] + T.dot(h, U[:, :H]))
    u = T.nnet.sigmoid(z[:, H : 2 * H] + T.dot(h, U[:, H : 2 * H]))
    n = T.tanh(z[:, 2 * H :] + T.dot(r * h, U[:, 2 * H :]))
    return u * h + (1 - u) * n


src, dst = T.imatrix("src"), T.imatrix("dst")
xs = T.dot(emb[src], We)
enc, _ = theano.scan(lambda z, h, U: gru(z, h, U), sequences=xs, outputs_info=T.zeros((src.shape[1], H)), non_sequences=Ue)
keys = T.dot(enc, Ua)


def decode(y, h, enc, keys):
    e = T.dot(T.tanh(keys + T.dot(h, Wa)[None, :, :]), va)
    a = T.nnet.softmax(e.T).T
    ctx = (enc * a[:, :, None]).sum(axis=0)
    h = gru(T.dot(emb[y], Wd) + T.dot(ctx, Cd), h, Ud)
    return h, a


(hs, atts), _ = theano.scan(decode, sequences=dst[:-1], outputs_info=[enc[-1], None], non_sequences=[enc, keys])
p = T.nnet.softmax(T.dot(hs, Wo).reshape((-1, V)))
cost = T.nnet.categorical_crossentropy(p, dst[1:].flatten()).mean()
updates = []
for q, g in zip(params, T.grad(cost, params)):
    a, d = [theano.shared(q.get_value() * 0) for _ in "ad"]
    a_t = 0.95 * a + 0.05 * g**2
    step = g * T.sqrt(d + 1e-6) / T.sqrt(a_t + 1e-6)
    updates += [(a, a_t), (d, 0.95 * d + 0.05 * step**2), (q, q - step)]
train = theano.function([src, dst], [cost, atts], updates=updates)


def greedy(y, h, enc, keys):
    h, a = decode(y, h, enc, keys)
    return (T.cast(T.argmax(T.dot(h, Wo), axis=1), "int32"), h)


(ys, _), _ = theano.scan(greedy, outputs_info=[T.zeros((src.shape[1],), "int32"), enc[-1]], non_sequences=[enc, keys], n_steps=9)
translate = theano.function([src], ys)
I = lambda *s: rng.randint(1, V, s).astype("int32")
for t, u, b in ((10, 8, 6), (10, 8, 6), (7, 12, 6)):
    train(I(t, b), I(u, b))
translate(I(10, 6))
translate(I(5, 2))
