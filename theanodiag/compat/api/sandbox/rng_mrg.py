"""Serves `theano.sandbox.rng_mrg` from this layer's random/mrg.py."""

from ...random.mrg import *
from ...random.mrg import MRG_RandomStreams

MRG_RandomStream = MRG_RandomStreams  # Aesara's name
