"""Serves `theano.tensor.shared_randomstreams` from this layer's random/streams.py."""

from ...random.streams import RandomStateSharedVariable, RandomStreams, randomstate_constructor
