"""A stacked denoising autoencoder: layers trained one by one with corruption, then fine-tuned as a whole."""

import numpy
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams as RandomStreams

numpy_rng = numpy.random.RandomState(89677)
stream = RandomStreams(numpy_rng.randint(2**30))
floatX = theano.config.floatX
data = theano.shared(numpy_rng.uniform(size=(500, 300)).astype(floatX), borrow=True)
labels = T.cast(theano.shared(numpy_rng.randint(0, 10, 500).astype(floatX)), "int32")
index, corruption, rate = T.lscalar("index"), T.scalar("corruption"), T.scalar("lr")
x, y = T.matrix("x"), T.ivector("y")


class Layer(object):
    def __init__(self, input, n_in, n_out):
        bound = 4 * numpy.sqrt(6.0 / (n_in + n_out))
        self.W = theano.shared(numpy_rng.uniform(-bound, bound, (n_in, n_out)).astype(floatX), "W", borrow=True)
        self.b = theano.shared(numpy.zeros(n_out, floatX), "b", borrow=True)
        self.visible = theano.shared(numpy.zeros(n_in, floatX), "bvis", borrow=True)
        self.x = input
        self.output = T.nnet.sigmoid(T.dot(input, self.W) + self.b)
        self.params = [self.W, self.b]

    def cost_updates(self, level, lr):
        tilde = stream.binomial(size=self.x.shape, n=1, p=1 - level, dtype=floatX) * self.x
        hidden = T.nnet.sigmoid(T.dot(tilde, self.W) + self.b)
        z = T.nnet.sigmoid(T.dot(hidden, self.W.T) + self.visible)
        cost = T.mean(-T.sum(self.x * T.log(z) + (1 - self.x) * T.log(1 - z), axis=1))
        params = self.params + [self.visible]
        return cost, [(p, p - lr * g) for p, g in zip(params, T.grad(cost, params))]


layers, current = [], x
for n_in, n_out in ((300, 200), (200, 100), (100, 50)):
    layers.append(Layer(current, n_in, n_out))
    current = layers[-1].output
W = theano.shared(numpy.zeros((50, 10), floatX), "Wo", borrow=True)
b = theano.shared(numpy.zeros(10, floatX), "bo", borrow=True)
p = T.nnet.softmax(T.dot(current, W) + b)
nll = -T.mean(T.log(p)[T.arange(y.shape[0]), y])
params = [q for l in layers for q in l.params] + [W, b]
begin = index * 64
pretraining = []
for layer in layers:
    cost, updates = layer.cost_updates(corruption, rate)
    pretraining.append(
        theano.function(
            [index, theano.In(corruption, value=0.2), theano.In(rate, value=0.1)],
            cost,
            updates=updates,
            givens={x: data[begin : begin + 64]},
        )
    )
givens = {x: data[begin : begin + 64], y: labels[begin : begin + 64]}
finetune = theano.function([index], nll, updates=[(q, q - 0.1 * g) for q, g in zip(params, T.grad(nll, params))], givens=givens)
score = theano.function([index], T.mean(T.neq(T.argmax(p, axis=1), y)), givens=givens)
for i, level in enumerate((0.1, 0.2, 0.3)):
    for k in range(8):
        c = pretraining[i](index=k, corruption=level, lr=0.001)
for k in range(8):
    finetune(k)
errors = [score(k) for k in range(8)]
