"""Speech and text: a CTC-like cost, a masked LSTM with the cost of all steps, a neural stack, a convolution over time, a tree by ifelse."""

import numpy as np
import theano
import theano.tensor as T
from theano.tensor.nnet import conv2d

rng = np.random.RandomState(0)
fx = theano.config.floatX
S = lambda *s: theano.shared((0.1 * rng.normal(size=s)).astype(fx))
clip = lambda c, ps: [(p, p - 0.01 * T.clip(g, -1, 1)) for p, g in zip(ps, T.grad(c, ps))]
words, mask = T.lmatrix("words"), T.matrix("mask")
V, D, H = 500, 64, 80
E, W, U, b, O, ob = S(V, D), S(D, 4 * H), S(H, 4 * H), S(4 * H), S(H, V), S(V)
part = lambda z, k: z[:, k * H : (k + 1) * H]


def lstm(m, x, h, c):
    z = x + T.dot(h, U)
    i, f, o, g = T.nnet.sigmoid(part(z, 0)), T.nnet.sigmoid(part(z, 1)), T.nnet.sigmoid(part(z, 2)), T.tanh(part(z, 3))
    n = f * c + i * g
    n = m[:, None] * n + (1 - m[:, None]) * c
    k = o * T.tanh(n)
    return m[:, None] * k + (1 - m[:, None]) * h, n


zero = T.zeros((words.shape[1], H), fx)
(hs, _), _ = theano.scan(lstm, [mask[:-1], T.dot(E[words[:-1]], W) + b], [zero, zero])
scores = T.dot(hs, O) + ob
flat = T.nnet.softmax(scores.reshape((-1, V)))
each = -T.log(flat[T.arange(flat.shape[0]), words[1:].flatten()] + 1e-8).reshape((words.shape[0] - 1, words.shape[1]))
lm = (each * mask[1:]).sum(0).mean()
params = [E, W, U, b, O, ob]
language = theano.function([words, mask], [lm, each], updates=clip(lm, params))

# CTC
frames, labels = T.matrix("frames"), T.ivector("labels")
A, c = S(D, 12), S(12)
blank = 11
ext = T.alloc(np.int32(blank), labels.shape[0] * 2 + 1)
ext = T.set_subtensor(ext[1::2], labels)
y = T.nnet.softmax(T.dot(frames, A) + c)[:, ext]
n = ext.shape[0]
skip = T.concatenate([T.zeros((2,), fx), T.cast(T.neq(ext[2:], ext[:-2]) * T.eq(T.arange(2, n) % 2, 1), fx)])
rel = T.eye(n) + T.eye(n, k=1) + T.eye(n, k=2) * skip.dimshuffle("x", 0)
alpha, _ = theano.scan(lambda p, a: p * T.dot(a, rel), sequences=y, outputs_info=T.eye(n)[0])
ctc_cost = -T.log(alpha[-1, -2:].sum() + 1e-8)
ctc = theano.function([frames, labels], ctc_cost, updates=clip(ctc_cost, [A, c]))

# convolutions over time, the best of each sentence
K, Z = S(10, 1, 3, D), S(10, 2)
sent = E[words.T].dimshuffle(0, "x", 1, 2)
feats = T.nnet.relu(conv2d(sent, K)).max(axis=(2, 3))
right = T.ivector("right")
ce = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(feats, Z)), right).mean()
classify = theano.function([words, right], [ce, T.mean(T.neq(T.argmax(T.dot(feats, Z), 1), right))], updates=clip(ce, [E, K, Z]))

# a memory that is written and read
N, M = 50, 40
Wk, Wr, We, Wa = S(H, M), S(M, H), S(H, M), S(H, M)
inp = T.tensor3("inp")
Wi = S(D, H)


def address(k, mem):
    sim = T.batched_dot(mem, k) / (T.sqrt(T.sqr(mem).sum(2)) * T.sqrt(T.sqr(k).sum(1, keepdims=True)) + 1e-6)
    return T.nnet.softmax(5 * sim)


def ntm(x, h, mem, w):
    read = T.batched_dot(w.dimshuffle(0, "x", 1), mem).reshape((x.shape[0], M))
    h = T.tanh(T.dot(x, Wi) + T.dot(read, Wr))
    w = 0.5 * w + 0.5 * address(T.tanh(T.dot(h, Wk)), mem)
    erase, add = T.nnet.sigmoid(T.dot(h, We)), T.tanh(T.dot(h, Wa))
    mem = mem * (1 - w[:, :, None] * erase[:, None, :]) + w[:, :, None] * add[:, None, :]
    return h, mem, w


B = inp.shape[1]
mem0 = T.alloc(np.float32(0.1), B, N, M)
w0 = T.alloc(np.float32(1.0 / N), B, N)
(nh, nm, nw), _ = theano.scan(ntm, inp, [T.zeros((B, H), fx), mem0, w0])
nl = T.sqr(nh).mean() + T.sqr(nm[-1]).mean()
machine = theano.function([inp], nl, updates=clip(nl, [Wi, Wk, Wr, We, Wa]))

F = lambda *z: rng.uniform(size=z).astype(fx)
for length, batch in ((20, 16), (20, 16), (32, 12)):
    w = rng.randint(0, V, (length, batch))
    m = np.sort(F(length, batch) > 0.3, axis=0)[::-1].astype(fx)
    (
        language(w, m),
        ctc(F(length * 2, D), np.array([1, 2, 2, 5], "int32")),
        classify(w, np.zeros(batch, "int32")),
        machine(F(length, batch, D)),
    )
