"""theano.sandbox.multinomial."""

from ...random.multinomial import *
