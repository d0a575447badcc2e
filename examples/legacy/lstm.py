"""An LSTM as scripts of 2015 wrote it: scan over time, masks, dropout by hand, adadelta, names in an OrderedDict."""
from __future__ import print_function

from collections import OrderedDict

import numpy
import theano
import theano.tensor as tensor

floatX = theano.config.floatX
rng = numpy.random.RandomState(123)
n_words, dim, n_classes, n_steps, n_samples = 50, 16, 2, 12, 8


def square_weight(ndim):
    return (rng.randn(ndim, ndim) / numpy.sqrt(ndim)).astype(floatX)


def init_tparams():
    params = OrderedDict()
    params['Wemb'] = (0.1 * rng.rand(n_words, dim)).astype(floatX)
    params['lstm_W'] = numpy.concatenate([square_weight(dim) for _ in range(4)], axis=1)
    params['lstm_U'] = numpy.concatenate([square_weight(dim) for _ in range(4)], axis=1)
    params['lstm_b'] = numpy.zeros((4 * dim,)).astype(floatX)
    params['U'] = 0.1 * rng.randn(dim, n_classes).astype(floatX)
    params['b'] = numpy.zeros((n_classes,)).astype(floatX)
    return OrderedDict((name, theano.shared(value, name=name)) for name, value in params.items())


def lstm_layer(tparams, state_below, mask):
    nsteps = state_below.shape[0]
    n_samples = state_below.shape[1] if state_below.ndim == 3 else 1

    def _slice(_x, n, dim):
        if _x.ndim == 3:
            return _x[:, :, n * dim:(n + 1) * dim]
        return _x[:, n * dim:(n + 1) * dim]

    def _step(m_, x_, h_, c_):
        preact = tensor.dot(h_, tparams['lstm_U'])
        preact += x_
        i = tensor.nnet.sigmoid(_slice(preact, 0, dim))
        f = tensor.nnet.sigmoid(_slice(preact, 1, dim))
        o = tensor.nnet.sigmoid(_slice(preact, 2, dim))
        c = tensor.tanh(_slice(preact, 3, dim))
        c = f * c_ + i * c
        c = m_[:, None] * c + (1. - m_)[:, None] * c_
        h = o * tensor.tanh(c)
        h = m_[:, None] * h + (1. - m_)[:, None] * h_
        return h, c

    state_below = tensor.dot(state_below, tparams['lstm_W']) + tparams['lstm_b']
    rval, _ = theano.scan(_step, sequences=[mask, state_below],
                                outputs_info=[tensor.alloc(numpy.asarray(0., dtype=floatX), n_samples, dim),
                                              tensor.alloc(numpy.asarray(0., dtype=floatX), n_samples, dim)],
                                name='lstm_layers', n_steps=nsteps)
    return rval[0]


def adadelta(tparams, grads, inputs, cost):
    zipped_grads = [theano.shared(p.get_value() * numpy.asarray(0., dtype=floatX), name='%s_grad' % k) for k, p in tparams.items()]
    running_up2 = [theano.shared(p.get_value() * numpy.asarray(0., dtype=floatX), name='%s_rup2' % k) for k, p in tparams.items()]
    running_grads2 = [theano.shared(p.get_value() * numpy.asarray(0., dtype=floatX), name='%s_rgrad2' % k) for k, p in tparams.items()]
    zgup = [(zg, g) for zg, g in zip(zipped_grads, grads)]
    rg2up = [(rg2, 0.95 * rg2 + 0.05 * (g ** 2)) for rg2, g in zip(running_grads2, grads)]
    f_grad_shared = theano.function(inputs, cost, updates=zgup + rg2up, name='adadelta_f_grad_shared')
    updir = [-tensor.sqrt(ru2 + 1e-6) / tensor.sqrt(rg2 + 1e-6) * zg for zg, ru2, rg2 in zip(zipped_grads, running_up2, running_grads2)]
    ru2up = [(ru2, 0.95 * ru2 + 0.05 * (ud ** 2)) for ru2, ud in zip(running_up2, updir)]
    param_up = [(p, p + ud) for p, ud in zip(tparams.values(), updir)]
    f_update = theano.function([], [], updates=ru2up + param_up, on_unused_input='ignore', name='adadelta_f_update')
    return f_grad_shared, f_update


tparams = init_tparams()
x, mask, y = tensor.matrix('x', dtype='int64'), tensor.matrix('mask', dtype=floatX), tensor.vector('y', dtype='int64')
n_timesteps, count = x.shape[0], x.shape[1]
emb = tparams['Wemb'][x.flatten()].reshape([n_timesteps, count, dim])
proj = lstm_layer(tparams, emb, mask)
proj = (proj * mask[:, :, None]).sum(axis=0)
proj = proj / mask.sum(axis=0)[:, None]
pred = tensor.nnet.softmax(tensor.dot(proj, tparams['U']) + tparams['b'])
cost = -tensor.log(pred[tensor.arange(count), y] + 1e-8).mean()
grads = tensor.grad(cost, wrt=list(tparams.values()))
f_grad_shared, f_update = adadelta(tparams, grads, [x, mask, y], cost)


def sample():
    """Words of the first half of the vocabulary speak for class 1."""
    words = rng.randint(0, n_words, (n_steps, n_samples))
    lengths = rng.randint(n_steps // 2, n_steps + 1, n_samples)
    held = (numpy.arange(n_steps)[:, None] < lengths[None, :]).astype(floatX)
    classes = (((words < n_words // 2) * held).sum(axis=0) * 2 > lengths).astype('int64')
    return words.astype('int64'), held, classes


if __name__ == '__main__':
    for step in range(10):
        value = f_grad_shared(*sample())
        f_update()
        print('step %i: cost %.5f' % (step, value))
