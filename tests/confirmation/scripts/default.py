"""Arguments with a default value, now and then given: their values stay with the function between the calls."""

import numpy
import theano
import theano.tensor as T

x, rate, offset = T.matrix("x"), T.scalar("rate"), T.vector("offset")
w = theano.shared(numpy.ones((30, 20), theano.config.floatX), name="w")
defaults = [theano.In(rate, value=0.5), theano.In(offset, value=numpy.ones(20, theano.config.floatX))]
step = theano.function([x] + defaults, (T.dot(x, w) * rate + offset).sum(), updates=[(w, w * rate)], name="step")

batch = numpy.ones((8, 30), theano.config.floatX)
step(batch)
step(batch, 0.1)
step(batch)
