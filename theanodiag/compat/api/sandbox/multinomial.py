"""Serves `theano.sandbox.multinomial` from this layer's random/multinomial.py."""

from ...random.multinomial import *
