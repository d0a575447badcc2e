"""A restricted Boltzmann machine, trained by persistent contrastive divergence: scan, random streams and a fed-back chain."""

import numpy
import theano
import theano.tensor as T
from theano.tensor.shared_randomstreams import RandomStreams

numpy_rng = numpy.random.RandomState(1234)
theano_rng = RandomStreams(numpy_rng.randint(2**30))
floatX = theano.config.floatX


class RBM(object):
    def __init__(self, input, n_visible, n_hidden, k):
        bound = 4 * numpy.sqrt(6.0 / (n_hidden + n_visible))
        initial_W = numpy.asarray(numpy_rng.uniform(low=-bound, high=bound, size=(n_visible, n_hidden)), dtype=floatX)
        self.W = theano.shared(value=initial_W, name="W", borrow=True)
        self.hbias = theano.shared(value=numpy.zeros(n_hidden, dtype=floatX), name="hbias", borrow=True)
        self.vbias = theano.shared(value=numpy.zeros(n_visible, dtype=floatX), name="vbias", borrow=True)
        self.input, self.k = input, k
        self.params = [self.W, self.hbias, self.vbias]

    def free_energy(self, v_sample):
        wx_b = T.dot(v_sample, self.W) + self.hbias
        return -T.sum(T.log(1 + T.exp(wx_b)), axis=1) - T.dot(v_sample, self.vbias)

    def sample_h_given_v(self, v0):
        pre = T.dot(v0, self.W) + self.hbias
        mean = T.nnet.sigmoid(pre)
        return [pre, mean, theano_rng.binomial(size=mean.shape, n=1, p=mean, dtype=floatX)]

    def sample_v_given_h(self, h0):
        pre = T.dot(h0, self.W.T) + self.vbias
        mean = T.nnet.sigmoid(pre)
        return [pre, mean, theano_rng.binomial(size=mean.shape, n=1, p=mean, dtype=floatX)]

    def gibbs_hvh(self, h0):
        pre_v, v_mean, v_sample = self.sample_v_given_h(h0)
        pre_h, h_mean, h_sample = self.sample_h_given_v(v_sample)
        return [pre_v, v_mean, v_sample, pre_h, h_mean, h_sample]

    def get_cost_updates(self, lr, persistent):
        chain_start = persistent
        ([pre_nvs, nv_means, nv_samples, pre_nhs, nh_means, nh_samples], updates) = theano.scan(
            self.gibbs_hvh, outputs_info=[None, None, None, None, None, chain_start], n_steps=self.k, name="gibbs_hvh"
        )
        chain_end = nv_samples[-1]
        cost = T.mean(self.free_energy(self.input)) - T.mean(self.free_energy(chain_end))
        gparams = T.grad(cost, self.params, consider_constant=[chain_end])
        for gparam, param in zip(gparams, self.params):
            updates[param] = param - gparam * T.cast(lr, dtype=floatX)
        updates[persistent] = nh_samples[-1]
        pre, _, _ = self.sample_h_given_v(self.input)
        recon = T.nnet.sigmoid(T.dot(T.nnet.sigmoid(pre), self.W.T) + self.vbias)
        monitored = T.mean(T.sum(self.input * T.log(recon) + (1 - self.input) * T.log(1 - recon), axis=1))
        return cost, monitored, updates


patterns = (numpy_rng.uniform(size=(10, 24)) > 0.5).astype(floatX)
noise = numpy_rng.uniform(size=(200, 24)) > 0.93
data = numpy.abs(patterns[numpy_rng.randint(10, size=200)] - noise).astype(floatX)
train_set_x = theano.shared(data, borrow=True)
batch_size = 20
index, x = T.lscalar("index"), T.matrix("x")
persistent_chain = theano.shared(numpy.zeros((batch_size, 16), dtype=floatX), borrow=True)
rbm = RBM(x, 24, 16, 5)
cost, monitored, updates = rbm.get_cost_updates(0.1, persistent_chain)
train_rbm = theano.function(
    [index],
    [cost, monitored],
    updates=updates,
    givens={x: train_set_x[index * batch_size : (index + 1) * batch_size]},
    name="train_rbm",
)
for epoch in range(3):
    for batch in range(10):
        c, m = train_rbm(batch)
        print(repr(float(m)))
