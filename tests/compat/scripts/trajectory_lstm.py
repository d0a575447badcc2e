"""An LSTM that adds two marked numbers, with adadelta, masks and dropout, as such scripts were written in 2015."""

from collections import OrderedDict

import numpy
import theano
import theano.tensor as tensor
from theano import config
from theano.sandbox.rng_mrg import MRG_RandomStreams as RandomStreams

SEED = 123
numpy.random.seed(SEED)
trng = RandomStreams(SEED)


def numpy_floatX(data):
    return numpy.asarray(data, dtype=config.floatX)


def ortho_weight(ndim):
    q = numpy.random.randn(ndim, ndim)  # Gram and Schmidt: signs that LAPACK chooses differ between builds of numpy
    for i in range(ndim):
        for j in range(i):
            q[i] -= q[j].dot(q[i]) * q[j]
        q[i] /= numpy.sqrt(q[i].dot(q[i]))
    return q.astype(config.floatX)


def init_params(dim_in, dim):
    params = OrderedDict()
    params["W"] = numpy.concatenate([0.1 * numpy.random.randn(dim_in, dim) for _ in range(4)], axis=1).astype(config.floatX)
    params["U"] = numpy.concatenate([ortho_weight(dim) for _ in range(4)], axis=1)
    params["b"] = numpy.zeros((4 * dim,)).astype(config.floatX)
    params["V"] = 0.1 * numpy.random.randn(dim, 1).astype(config.floatX)
    params["c"] = numpy.zeros((1,)).astype(config.floatX)
    return params


def init_tparams(params):
    return OrderedDict((k, theano.shared(v, name=k)) for k, v in params.items())


def dropout_layer(state_before, use_noise, trng):
    return tensor.switch(
        use_noise, state_before * trng.binomial(state_before.shape, p=0.5, n=1, dtype=state_before.dtype), state_before * 0.5
    )


def lstm_layer(tparams, state_below, dim, mask):
    nsteps, n_samples = state_below.shape[0], state_below.shape[1]

    def _slice(_x, n, dim):
        return _x[:, n * dim : (n + 1) * dim]

    def _step(m_, x_, h_, c_):
        preact = tensor.dot(h_, tparams["U"])
        preact += x_
        i = tensor.nnet.sigmoid(_slice(preact, 0, dim))
        f = tensor.nnet.sigmoid(_slice(preact, 1, dim))
        o = tensor.nnet.sigmoid(_slice(preact, 2, dim))
        c = tensor.tanh(_slice(preact, 3, dim))
        c = f * c_ + i * c
        c = m_[:, None] * c + (1.0 - m_)[:, None] * c_
        h = o * tensor.tanh(c)
        h = m_[:, None] * h + (1.0 - m_)[:, None] * h_
        return h, c

    state_below = tensor.dot(state_below, tparams["W"]) + tparams["b"]
    rval, updates = theano.scan(
        _step,
        sequences=[mask, state_below],
        outputs_info=[tensor.alloc(numpy_floatX(0.0), n_samples, dim), tensor.alloc(numpy_floatX(0.0), n_samples, dim)],
        name="lstm_layers",
        n_steps=nsteps,
    )
    return rval[0]


def adadelta(tparams, grads, inputs, cost):
    zipped_grads = [theano.shared(p.get_value() * numpy_floatX(0.0), name="%s_grad" % k) for k, p in tparams.items()]
    running_up2 = [theano.shared(p.get_value() * numpy_floatX(0.0), name="%s_rup2" % k) for k, p in tparams.items()]
    running_grads2 = [theano.shared(p.get_value() * numpy_floatX(0.0), name="%s_rgrad2" % k) for k, p in tparams.items()]
    zgup = [(zg, g) for zg, g in zip(zipped_grads, grads)]
    rg2up = [(rg2, 0.95 * rg2 + 0.05 * (g**2)) for rg2, g in zip(running_grads2, grads)]
    f_grad_shared = theano.function(inputs, cost, updates=zgup + rg2up, name="adadelta_f_grad_shared")
    updir = [-tensor.sqrt(ru2 + 1e-4) / tensor.sqrt(rg2 + 1e-6) * zg for zg, ru2, rg2 in zip(zipped_grads, running_up2, running_grads2)]
    ru2up = [(ru2, 0.95 * ru2 + 0.05 * (ud**2)) for ru2, ud in zip(running_up2, updir)]
    param_up = [(p, p + ud) for p, ud in zip(tparams.values(), updir)]
    f_update = theano.function([], [], updates=ru2up + param_up, on_unused_input="ignore", name="adadelta_f_update")
    return f_grad_shared, f_update


dim = 12
tparams = init_tparams(init_params(2, dim))
use_noise = theano.shared(numpy_floatX(1.0))
x, mask, y = tensor.tensor3("x", dtype=config.floatX), tensor.matrix("mask", dtype=config.floatX), tensor.vector("y", dtype=config.floatX)
proj = lstm_layer(tparams, x, dim, mask)
proj = (proj * mask[:, :, None]).sum(axis=0) / mask.sum(axis=0)[:, None]
proj = dropout_layer(proj, use_noise, trng)
pred = tensor.dot(proj, tparams["V"])[:, 0] + tparams["c"][0]
cost = tensor.sqr(pred - y).mean()
cost += 1e-4 * (tparams["U"] ** 2).sum()
grads = tensor.grad(cost, wrt=list(tparams.values()))
f_grad_shared, f_update = adadelta(tparams, grads, [x, mask, y], cost)

for step in range(30):
    length, samples = 9, 16
    lengths = numpy.random.randint(4, length + 1, size=samples)
    xs = numpy.random.rand(length, samples, 2).astype(config.floatX)
    xs[:, :, 1] = xs[:, :, 1] > 0.7
    ms = (numpy.arange(length)[:, None] < lengths[None, :]).astype(config.floatX)
    ys = (xs[:, :, 0] * xs[:, :, 1] * ms).sum(axis=0)
    print(repr(float(f_grad_shared(xs, ms, ys))))
    f_update()
