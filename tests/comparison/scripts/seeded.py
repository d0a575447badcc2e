"""A seed; the line with a mark has another form behind it, which is planted by a test."""

import theano
import theano.tensor as T

x = T.vector("x", dtype="float64")
streams = T.shared_randomstreams.RandomStreams(seed=9)
drawn = streams.uniform((5,))  #: another seed: streams = T.shared_randomstreams.RandomStreams(seed=10); drawn = streams.uniform((5,))
f = theano.function([x], x + drawn)
f([1.0, 2.0, 3.0, 4.0, 5.0])
