"""Serves `theano.sandbox.cuda.type`, which libraries import for `isinstance` checks."""

from . import CudaNdarrayType as CudaNdarrayType
