"""Serves `theano.sparse.sandbox.sp` with the names of `theano.sparse.basic`."""

from ..basic import *
from ..basic import __getattr__
