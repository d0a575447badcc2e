"""A denoising autoencoder with tied weights on mini-batches cut from a dataset on the device."""

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng = np.random.RandomState(0)
srng = MRG_RandomStreams(5)
data = theano.shared(rng.uniform(size=(2000, 256)).astype("float32"), borrow=True)
W, b, c = [theano.shared(rng.uniform(-0.1, 0.1, s).astype("float32")) for s in ((256, 100), (100,), (256,))]
x, index = T.fmatrix("x"), T.lscalar("index")
noisy = x * srng.binomial(x.shape, n=1, p=0.7, dtype="float32")
z = T.nnet.sigmoid(T.dot(T.nnet.sigmoid(T.dot(noisy, W) + b), W.T) + c)
cost = -T.sum(x * T.log(z) + (1 - x) * T.log(1 - z), axis=1).mean()
updates = [(p, p - np.float32(0.1) * g) for p, g in zip((W, b, c), T.grad(cost, [W, b, c]))]
train = theano.function([index], cost, updates=updates, givens={x: data[index * 100 : (index + 1) * 100]})
for i in range(3):
    train(i)
