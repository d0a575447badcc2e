"""Scans of many kinds: with gradients, nested, with taps, until, backwards, truncated, of integers; Jacobians and Hessians."""

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng, srng = np.random.RandomState(0), MRG_RandomStreams(3)
F = lambda *s: rng.uniform(-1, 1, s).astype("float32")
W, U, b = theano.shared(F(30, 30)), theano.shared(F(30, 30)), theano.shared(F(30))
x, v, t, k = T.fmatrix("x"), T.fvector("v"), T.ftensor3("t"), T.iscalar("k")
X, Y = [[F(12, 30)], [F(12, 30)], [F(7, 30)]], [[F(6, 4, 30)], [F(6, 4, 30)], [F(9, 4, 30)]]
Vs, Ks = [[F(30)], [F(30)]], [[F(30), 5], [F(30), 5], [F(30), 9]]
scan = theano.scan
cell = lambda x, h: T.tanh(T.dot(x, W) + T.dot(h, U) + b)
zero = lambda like: T.zeros_like(like)
rnn, _ = scan(cell, x, zero(x[0]))
last = rnn[-1]
batch, _ = scan(cell, t, zero(t[0]))
two, _ = scan(lambda x, h2, h1: T.tanh(x + T.dot(h1, W) + h2), x, dict(initial=T.zeros((2, 30)), taps=[-2, -1]))
taps, _ = scan(lambda a, c, e: a + c * e, dict(input=x, taps=[-1, 0, 1]))
pair, _ = scan(lambda x, h, s: (T.tanh(x + h), s + h.sum()), x, [zero(x[0]), np.float32(0)])
mapped, _ = theano.map(lambda r: (r**2).sum(), x)
matrix, _ = theano.map(lambda r: T.outer(r, r), x)
total, _ = theano.reduce(lambda r, acc: acc + r, x, zero(x[0]))
folded, _ = theano.foldl(lambda r, acc: acc * r + b, x, zero(x[0]))
folded2, _ = theano.foldr(lambda r, acc: acc * r + b, x, zero(x[0]))
power, _ = scan(lambda p, v: p * v, None, T.ones_like(v), v, n_steps=k)
fixed, _ = scan(lambda h: T.tanh(T.dot(h, W)), None, v, n_steps=6)
until, _ = scan(lambda r, h: (h + r, theano.scan_module.until(T.gt((h + r).sum(), 1e9))), x, zero(x[0]))
until_last, _ = scan(lambda h: (h * 2, theano.scan_module.until(h.sum() > 1e30)), None, abs(v), n_steps=8)
back, _ = scan(cell, x, zero(x[0]), go_backwards=True)
trunc, _ = scan(cell, x, zero(x[0]), truncate_gradient=3)
one, _ = scan(cell, x[:1], zero(x[0]))
noisy, nu = scan(lambda h: h + srng.normal(h.shape, dtype="float32"), None, v, n_steps=4)
dropped, du = scan(lambda x, h: T.tanh(T.dot(x * srng.binomial(x.shape, p=0.5, dtype="float32"), W) + h), x, zero(x[0]))
ints, _ = scan(lambda n, a: a + n, T.arange(k), T.constant(0, dtype="int64"))
selected, _ = scan(lambda n, x, W: T.dot(x[n], W), T.arange(x.shape[0]), None, [x, W])
shared_up, su = scan(lambda r: {b: b + r}, x) if False else scan(lambda r: (r * 2, {b: b + r}), x)
nested, _ = scan(lambda m: scan(cell, m, zero(m[0]))[0][-1], t)
nested2, _ = scan(lambda m, a: a + scan(lambda r, s: s * T.tanh(r), m, T.ones_like(m[0]))[0][-1], t, zero(t[0, 0]))
strict, _ = scan(lambda x, h, W, U: T.nnet.sigmoid(T.dot(x, W) + T.dot(h, U)), x, zero(x[0]), [W, U], strict=True)
several, _ = scan(lambda x, h, c: [T.tanh(x + h), c * T.nnet.sigmoid(x), x.sum()], x, [zero(x[0]), zero(x[0]), None])
slices, _ = scan(lambda x, h: T.concatenate([T.tanh(x[:10] + h[:10]), x[10:] * h[10:]]), x, zero(x[0]))
poly, _ = scan(lambda c, n, q: c * q**n, [v, T.arange(30, dtype="float32")], None, np.float32(0.5))
jac = theano.gradient.jacobian(T.tanh(T.dot(W, v)), v)
hess = theano.gradient.hessian((T.tanh(T.dot(W, v)) ** 2).sum(), v)
rop = T.Rop(T.tanh(T.dot(x, W)), x, x * 2)
lop = T.Lop(T.tanh(T.dot(x, W)), x, x * 2)
rop_scan = T.Rop(rnn[-1], W, W * 2)
g = T.grad
P = [W, U, b]
sgd = lambda c: [(p, p - np.float32(0.01) * d) for p, d in zip(P, g(c, P))]
CASES = [
    ([x], rnn, [], X),
    ([x], last, [], X),
    ([x], [rnn, last], [], X),
    ([x], rnn[::2], [], X),
    ([x], rnn[-3:], [], X),
    ([x], rnn.sum(), [], X),
    ([x], g(last.sum(), P), [], X),
    ([x], g((rnn**2).sum(), P), [], X),
    ([x], last.sum(), sgd((last**2).sum()), X),
    ([t], batch, [], Y),
    ([t], batch[-1], [], Y),
    ([t], batch.sum(), sgd((batch**2).mean()), Y),
    ([x], two, [], X),
    ([x], g(two[-1].sum(), W), [], X),
    ([x], taps, [], X),
    ([x], g(taps.sum(), x), [], X),
    ([x], pair, [], X),
    ([x], pair[1][-1], [], X),
    ([x], g(pair[1][-1], x), [], X),
    ([x], mapped, [], X),
    ([x], g(mapped.sum(), x), [], X),
    ([x], matrix, [], X),
    ([x], total, [], X),
    ([x], g(total.sum(), x), [], X),
    ([x], folded, [], X),
    ([x], folded2, [], X),
    ([v, k], power, [], Ks),
    ([v, k], power[-1], [], Ks),
    ([v, k], g(power[-1].sum(), v), [], Ks),
    ([v], fixed, [], Vs),
    ([v], fixed[-1], [], Vs),
    ([v], g(fixed[-1].sum(), [v, W]), [], Vs),
    ([x], until, [], X),
    ([x], until[-1], [], X),
    ([v], until_last[-1], [], Vs),
    ([x], back, [], X),
    ([x], g(back[-1].sum(), P), [], X),
    ([x], g(trunc[-1].sum(), P), [], X),
    ([x], one, [], X),
    ([x], g(one.sum(), P), [], X),
    ([v], noisy, nu, Vs),
    ([v], noisy[-1], nu, Vs),
    ([x], dropped[-1], du, X),
    ([x], dropped[-1], dict(list(du.items()) + [(W, W - 0.1 * g(dropped[-1].sum(), W))]), X),
    ([k], ints, [], [[4], [4], [9]]),
    ([x], selected, [], X),
    ([x], g(selected.sum(), [x, W]), [], X),
    ([x], shared_up, su, X),
    ([t], nested, [], Y),
    ([t], nested2, [], Y),
    ([t], g(nested2.sum(), t), [], Y),
    ([x], strict, [], X),
    ([x], g(strict[-1].sum(), [W, U]), [], X),
    ([x], several, [], X),
    ([x], several[0][-1], [], X),
    ([x], g(several[1].sum(), x), [], X),
    ([x], slices, [], X),
    ([x], g(slices[-1].sum(), x), [], X),
    ([v], poly, [], Vs),
    ([v], poly.sum(), [], Vs),
    ([v], jac, [], Vs),
    ([v], hess, [], Vs),
    ([x], rop, [], X),
    ([x], lop, [], X),
    ([x], rop_scan, [], X),
]

functions = []  # none is dropped: when its constants go would depend on the garbage collector
for inputs, outputs, updates, calls in CASES:
    fn = theano.function(inputs, outputs, updates=updates, on_unused_input="ignore", allow_input_downcast=True)
    functions.append(fn)
    for args in calls:
        fn(*args)
