"""Sixty ways to update shared variables: in place, beside, swapped, by views, of other shapes, with givens and without outputs."""

import numpy as np
import theano
import theano.tensor as T
from theano.ifelse import ifelse
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng, srng = np.random.RandomState(0), MRG_RandomStreams(1)
F = lambda *s: rng.uniform(0.1, 1, s).astype("float32")
S = lambda *s: theano.shared(F(*s))
W, V, Q, b, s, big = S(60, 60), S(60, 60), S(60, 60), S(60), theano.shared(np.float32(0)), S(300, 60)
k, o = theano.shared(np.int64(0)), theano.shared(np.zeros((60, 60)))
x, i, z = T.fmatrix("x"), T.ivector("i"), T.fscalar("z")
A, R, Z = [F(20, 60)], [rng.randint(0, 60, 9).astype("int32")], [np.float32(2)]
y = T.dot(x, W) + b
cost = (y**2).mean()
gW, gb = T.grad(cost, [W, b])
grown = theano.shared(F(2, 5))
CASES = [
    ([x], A, cost, [(W, W - 0.1 * gW)]),
    ([x], A, cost, [(W, W - 0.1 * gW), (b, b - 0.1 * gb)]),
    ([x], A, None, [(W, W - 0.1 * gW)]),
    ([x], A, [cost, gW], [(W, W - 0.1 * gW)]),
    ([x], A, W, [(W, W - 0.1 * gW)]),
    ([x], A, y, [(W, W * 0.9)]),
    ([], [], None, [(W, W + 1)]),
    ([], [], None, [(W, W * 2), (V, V * 2)]),
    ([], [], None, [(W, V)]),
    ([], [], None, [(W, V), (V, W)]),
    ([], [], W, [(W, V), (V, W)]),
    ([], [], None, [(W, V), (V, Q), (Q, W)]),
    ([], [], None, [(W, W.T)]),
    ([], [], W.T, [(W, W.T)]),
    ([], [], None, [(W, V.T)]),
    ([], [], None, [(W, W[::-1])]),
    ([], [], None, [(W, T.dot(W, W))]),
    ([], [], None, [(W, T.dot(V, Q))]),
    ([], [], None, [(W, W + T.dot(V, Q))]),
    ([], [], [W.sum()], [(W, W + T.dot(W, Q))]),
    ([], [], [W], []),
    ([], [], [W + 0], [(W, W + 1)]),
    ([], [], [W * 1, V], [(V, W)]),
    ([], [], None, [(b, W[0])]),
    ([], [], None, [(b, W[:, 0])]),
    ([], [], None, [(b, W.sum(0))]),
    ([], [], None, [(b, b + W.mean(1))]),
    ([], [], None, [(s, s + 1)]),
    ([], [], s, [(s, s + 1)]),
    ([], [], None, [(k, k + 1)]),
    ([], [], big[k : k + 10], [(k, k + 1)]),
    ([z], Z, None, [(s, z)]),
    ([z], Z, None, [(W, W * z)]),
    ([z], Z, None, [(W, T.fill(W, z))]),
    ([], [], None, [(W, T.zeros_like(W))]),
    ([], [], None, [(o, o + 1)]),
    ([], [], None, [(o, T.cast(W, "float64"))]),
    ([], [], None, [(W, T.cast(o, "float32"))]),
    ([], [], None, [(W, T.set_subtensor(W[2:5], 0.0))]),
    ([], [], W, [(W, T.set_subtensor(W[2:5], 0.0))]),
    ([], [], None, [(W, T.inc_subtensor(W[:, 3], b))]),
    ([i], R, None, [(W, T.inc_subtensor(W[i], 1.0))]),
    ([i, x], [R[0], F(9, 60)], None, [(W, T.inc_subtensor(W[i], x))]),
    ([i, x], [R[0], F(9, 60)], W[i], [(W, T.set_subtensor(W[i], x))]),
    ([i], R, None, [(W, V[i % 60].sum() + W)]),
    ([i], R, None, [(W, T.inc_subtensor(V[i], 1.0))]),
    ([x], A, None, [(big, T.set_subtensor(big[:20], x))]),
    ([x], A, None, [(big, T.concatenate([big[20:], x]))]),
    ([x], A, None, [(grown, x)]),
    ([x], A, None, [(grown, x + 1)]),
    ([x], A, grown, [(grown, T.concatenate([grown, x]))]),
    ([], [], None, [(grown, grown[:20])]),
    ([], [], None, [(grown, grown[:5] + 1)]),
    ([], [], srng.uniform((60, 60)), []),
    ([], [], None, [(W, srng.normal((60, 60)))]),
    ([], [], None, [(W, W * srng.binomial((60, 60), p=0.5, dtype="float32"))]),
    ([z], Z, None, [(W, ifelse(T.gt(z, 1), W * 2, V))]),
    ([], [], T.outer(b, b), [(W, W + T.outer(b, b))]),
    ([], [], None, [(W, W + T.outer(W[0], W[1]))]),
    ([], [], [W, W], [(W, W + V)]),
    ([], [], None, [(W, W / T.sqrt((W**2).sum())), (V, W)]),
    ([x], A, cost, [(W, W - 0.1 * gW / T.sqrt(Q + gW**2)), (Q, Q + gW**2)]),
    ([x], A, cost, [(V, 0.9 * V - 0.1 * gW), (W, W + 0.9 * V - 0.1 * gW)]),
    ([], [], None, [(b, T.switch(b > 0.5, b, 0))]),
    ([], [], None, [(W, T.clip(W, -1, 1)), (V, T.minimum(V, W))]),
    ([], [], [T.exp(W)], [(W, T.exp(W))]),
    ([], [], T.exp(W), [(W, T.exp(W) + 1)]),
    ([], [], None, [(W, W.reshape((3600,)).reshape((60, 60)))]),
    ([], [], None, [(W, W.dimshuffle(1, 0) + V)]),
]

functions = []  # none is dropped: when its constants go would depend on the garbage collector
for inputs, args, outputs, updates in CASES:
    fn = theano.function(inputs, outputs, updates=updates, on_unused_input="ignore", allow_input_downcast=True)
    functions.append(fn)
    for _ in range(3):
        fn(*args)

batch = theano.function([i], y.sum(), givens={x: big[i]})
start = T.iscalar()
part = theano.function([start], y, givens={x: big[start : start + 20]})
batch(R[0]), part(0), part(20), part(290)
keep = [part(0) for _ in range(3)]

for shape in ((10, 60), (400, 60), (5, 60), (300, 60)):
    big.set_value(F(*shape))
    part(0)
    big.get_value(), big.get_value(borrow=True)
old = W.get_value()
W.set_value(old, borrow=True)
W.set_value(np.asfortranarray(old))
many = [theano.function([x], x * c + b) for c in range(5)]
for fn in many:
    fn(A[0])
T1, E0 = theano.shared(F(1, 1)), theano.shared(np.zeros((0, 60), "float32"))
tiny = theano.function([x], [T.dot(E0, W), T1 * 2, x[:0].sum(0), T.concatenate([E0, x])], updates=[(E0, E0 + 1)])
tiny(A[0]), tiny(F(0, 60)), tiny(F(1, 60))
