"""Serves `theano.scalar.basic` with the names of `theano.scalar`."""

from . import *
from . import Scalar
