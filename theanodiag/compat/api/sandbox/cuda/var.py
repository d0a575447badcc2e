"""Serves `theano.sandbox.cuda.var`, which libraries import for `isinstance` checks."""

from . import CudaNdarraySharedVariable as CudaNdarraySharedVariable
from . import CudaNdarrayVariable as CudaNdarrayVariable
