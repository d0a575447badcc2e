"""A bidirectional LSTM tagger with masks, as in the Lasagne recurrent examples: precomputed input, gradients clipped, RMSprop."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(2)
f32 = lambda *s: (rng.randn(*s) * 0.1).astype("float32")
D, H, C = 24, 40, 7


def lstm(x, mask, backwards, params):
    W, U, b = [theano.shared(v) for v in (f32(D, 4 * H), f32(H, 4 * H), np.zeros(4 * H, "float32"))]
    params += [W, U, b]
    xs = T.dot(x.dimshuffle(1, 0, 2), W) + b
    m = mask.dimshuffle(1, 0, "x")

    def step(x_t, m_t, c, h, U):
        g = x_t + T.dot(h, U)
        g = theano.gradient.grad_clip(g, -1, 1)
        i, f, z, o = [g[:, k * H : (k + 1) * H] for k in range(4)]
        c_t = T.nnet.sigmoid(f) * c + T.nnet.sigmoid(i) * T.tanh(z)
        h_t = T.nnet.sigmoid(o) * T.tanh(c_t)
        return T.switch(m_t, c_t, c), T.switch(m_t, h_t, h)

    ones = T.ones((x.shape[0], 1))
    c0, h0 = [T.dot(ones, theano.shared(np.zeros((1, H), "float32"))) for _ in "ch"]
    (_, h), _ = theano.scan(step, sequences=[xs, m], outputs_info=[c0, h0], non_sequences=[U], go_backwards=backwards, strict=True)
    h = h.dimshuffle(1, 0, 2)
    return h[:, ::-1] if backwards else h


x, mask, y = T.ftensor3("x"), T.fmatrix("mask"), T.imatrix("y")
params = []
h = T.concatenate([lstm(x, mask, back, params) for back in (False, True)], axis=2)
V, c = theano.shared(f32(2 * H, C)), theano.shared(np.zeros(C, "float32"))
params += [V, c]
p = T.nnet.softmax(T.dot(h.reshape((-1, 2 * H)), V) + c)
nll = T.nnet.categorical_crossentropy(p, y.flatten()) * mask.flatten()
cost = nll.sum() / mask.sum()
grads = T.grad(cost, params)
norm = T.sqrt(sum((g**2).sum() for g in grads))
updates = []
for q, g in zip(params, [g * T.minimum(1.0, 5.0 / norm) for g in grads]):
    acc = theano.shared(np.zeros(q.get_value(borrow=True).shape, "float32"), broadcastable=q.broadcastable)
    new = 0.9 * acc + 0.1 * g**2
    updates += [(acc, new), (q, q - 0.01 * g / T.sqrt(new + 1e-6))]
train = theano.function([x, mask, y], [cost, norm], updates=updates)
tag = theano.function([x, mask], T.argmax(p.reshape((x.shape[0], x.shape[1], C)), axis=2))
for n, t in ((8, 12), (8, 12), (4, 15), (8, 12)):
    a, m = f32(n, t, D), np.ones((n, t), "float32")
    train(a, m, rng.randint(0, C, (n, t)).astype("int32"))
    tag(a, m)
