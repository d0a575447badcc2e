"""Serves `theano.sandbox.linalg`: its functions lie in theano.tensor.nlinalg and slinalg; here are the hints for the optimiser."""

from .ops import psd as psd
