"""theano.tensor.shared_randomstreams."""

from ...random.streams import RandomStateSharedVariable, RandomStreams, randomstate_constructor
