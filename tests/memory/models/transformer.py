"""A transformer's block, highway layers, a mixture density net, triplets, a spatial transformer."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(0)
fx = theano.config.floatX
S = lambda *s: theano.shared((0.1 * rng.normal(size=s)).astype(fx))
sgd = lambda c, ps: [(p, p - np.float32(0.01) * g) for p, g in zip(ps, T.grad(c, ps))]

# transformer
tokens, targets = T.imatrix("tokens"), T.imatrix("targets")
V, N, H = 400, 96, 4
E, O = S(V, N), S(N, V)
Wq, Wk, Wv, Wo, F1, F2 = S(N, N), S(N, N), S(N, N), S(N, N), S(N, 192), S(192, N)
gain, bias, pos = theano.shared(np.ones(N, fx)), theano.shared(np.zeros(N, fx)), S(90, N)


def norm(h):
    return gain * (h - h.mean(-1, keepdims=True)) / T.sqrt(h.var(-1, keepdims=True) + 1e-6) + bias


def heads(h, W):
    p = T.dot(h, W).reshape((h.shape[0], h.shape[1], H, N // H)).dimshuffle(0, 2, 1, 3)
    return p.reshape((h.shape[0] * H, h.shape[1], N // H))


def attend(h):
    q, k, v = heads(h, Wq), heads(h, Wk), heads(h, Wv)
    scores = T.batched_dot(q, k.dimshuffle(0, 2, 1)) / np.float32(np.sqrt(N // H))
    ones = T.ones((h.shape[1], h.shape[1]), fx)
    scores = scores - 1e9 * T.triu(ones, 1).dimshuffle("x", 0, 1)
    e = T.exp(scores - scores.max(-1, keepdims=True))
    a = e / e.sum(-1, keepdims=True)
    o = T.batched_dot(a, v).reshape((h.shape[0], H, h.shape[1], N // H)).dimshuffle(0, 2, 1, 3)
    return T.dot(o.reshape((h.shape[0], h.shape[1], N)), Wo)


h = E[tokens] + pos[: tokens.shape[1]].dimshuffle("x", 0, 1)
h = norm(h + attend(h))
h = norm(h + T.dot(T.nnet.relu(T.dot(h, F1)), F2))
p = T.nnet.softmax(T.dot(h, O).reshape((-1, V)))
loss = T.nnet.categorical_crossentropy(p, targets.flatten()).mean()
params = [E, O, Wq, Wk, Wv, Wo, F1, F2, gain, bias, pos]
train = theano.function([tokens, targets], loss, updates=sgd(loss, params))
best = theano.function([tokens], T.argmax(p, axis=1).reshape(tokens.shape))

# highway
x, y = T.matrix("x"), T.matrix("y")
Ws = [(S(20, 20), S(20, 20), S(20)) for _ in range(6)]
g = x
for A, B, c in Ws:
    t = T.nnet.sigmoid(T.dot(g, B) + c)
    g = T.tanh(T.dot(g, A)) * t + g * (1 - t)
hw = T.sqr(g - y).mean()
highway = theano.function([x, y], hw, updates=sgd(hw, [w for row in Ws for w in row]))

# mixture density
M, K = S(20, 30), 5
Mmu, Msig, Mpi = S(30, K * 20), S(30, K), S(30, K)
hid = T.tanh(T.dot(x, M))
mu = T.dot(hid, Mmu).reshape((x.shape[0], K, 20))
sig, pi = T.exp(T.dot(hid, Msig)), T.nnet.softmax(T.dot(hid, Mpi))
logs = T.log(pi) - 20 * T.log(sig) - T.sum(T.sqr(mu - y[:, None, :]), 2) / (2 * T.sqr(sig))
top = logs.max(1, keepdims=True)
mdn = -(T.log(T.sum(T.exp(logs - top), 1)) + top[:, 0]).mean()
mixture = theano.function([x, y], mdn, updates=sgd(mdn, [M, Mmu, Msig, Mpi]))

# triplets
L, margin = S(20, 8), 0.2
a, b2, c2 = [T.dot(x[k::3], L) for k in range(3)]
unit = lambda v: v / T.sqrt(T.sqr(v).sum(1, keepdims=True) + 1e-8)
trip = T.maximum(0, margin + T.sqr(unit(a) - unit(b2)).sum(1) - T.sqr(unit(a) - unit(c2)).sum(1)).mean()
triplet = theano.function([x], trip, updates=sgd(trip, [L]))

# spatial transformer
im = T.tensor4("im")
LW, LB = S(256, 6), theano.shared(np.array([1, 0, 0, 0, 1, 0], fx))
theta = (T.dot(im.flatten(2), LW) + LB).reshape((-1, 2, 3))
gx, gy = np.meshgrid(np.linspace(-1, 1, 16), np.linspace(-1, 1, 16))
grid = T.constant(np.vstack([gx.ravel(), gy.ravel(), np.ones(256)]).astype(fx))
where = T.dot(theta, grid)
xs, ys = [(where[:, k].flatten() + 1) * 7.5 for k in range(2)]
x0, y0 = [T.clip(T.floor(v), 0, 14) for v in (xs, ys)]
base = T.arange(im.shape[0], dtype="int64").repeat(256) * 256
flat = im.dimshuffle(0, 2, 3, 1).reshape((-1, 1))
at = lambda dx, dy: flat[base + T.cast(y0 + dy, "int64") * 16 + T.cast(x0 + dx, "int64")]
wx, wy = (xs - x0)[:, None], (ys - y0)[:, None]
warped = (1 - wx) * (1 - wy) * at(0, 0) + wx * (1 - wy) * at(1, 0) + (1 - wx) * wy * at(0, 1) + wx * wy * at(1, 1)
warped = warped.reshape((im.shape[0], 16, 16, 1)).dimshuffle(0, 3, 1, 2)
stl = T.sqr(warped - im).mean()
spatial = theano.function([im], stl, updates=sgd(stl, [LW, LB]))

Fm = lambda *s: rng.uniform(size=s).astype(fx)
for batch, length in ((12, 30), (12, 30), (20, 44)):
    t = rng.randint(0, V, (batch, length)).astype("int32")
    (
        train(t, t),
        best(t),
        highway(Fm(batch, 20), Fm(batch, 20)),
        mixture(Fm(batch, 20), Fm(batch, 20)),
        triplet(Fm(batch * 3, 20)),
        spatial(Fm(batch, 1, 16, 16)),
    )
