"""Forward algorithm of an HMM and a CRF in scans with gradients; Viterbi; a power series; truncated gradients."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(7)
f32 = lambda *s: rng.randn(*s).astype("float32")
A, P, E = theano.shared(f32(8, 8)), theano.shared(f32(8)), theano.shared(f32(8, 30))
obs = T.ivector("obs")
logA, logP, logE = T.log(T.nnet.softmax(A)), T.log(T.nnet.softmax(P))[0], T.log(T.nnet.softmax(E))


def lse(x, axis):
    m = T.max(x, axis=axis, keepdims=True)
    return (m + T.log(T.sum(T.exp(x - m), axis=axis, keepdims=True))).sum(axis)


alphas, _ = theano.scan(
    lambda o, a, lA, lE: lse(a[:, None] + lA, 0) + lE[:, o],
    sequences=obs[1:],
    outputs_info=logP + logE[:, obs[0]],
    non_sequences=[logA, logE],
)
ll = lse(alphas[-1], 0)
train = theano.function([obs], ll, updates=[(p, p + 0.01 * g) for p, g in zip([A, P, E], T.grad(ll, [A, P, E]))])
(score, back), _ = theano.scan(
    lambda o, s, lA, lE: ((s[:, None] + lA).max(0) + lE[:, o], (s[:, None] + lA).argmax(0)),
    sequences=obs[1:],
    outputs_info=[logP + logE[:, obs[0]], None],
    non_sequences=[logA, logE],
)
viterbi = theano.function([obs], [score[-1], back])
short, _ = theano.scan(
    lambda o, a, lA, lE: lse(a[:, None] + lA, 0) + lE[:, o],
    sequences=obs[1:],
    outputs_info=logP + logE[:, obs[0]],
    non_sequences=[logA, logE],
    truncate_gradient=5,
)
ll2 = lse(short[-1], 0)
tbptt = theano.function([obs], ll2, updates=[(A, A + 0.01 * T.grad(ll2, A))])
k, a = T.iscalar("k"), T.fvector("a")
powers, up = theano.scan(lambda prior, a: prior * a, outputs_info=T.ones_like(a), non_sequences=a, n_steps=k)
power = theano.function([a, k], powers[-1], updates=up)
all_powers = theano.function([a, k], powers)
for t in (20, 20, 33, 20):
    o = rng.randint(0, 30, t).astype("int32")
    train(o), viterbi(o), tbptt(o)
power(f32(1000), 5), power(f32(1000), 9), all_powers(f32(1000), 4)
