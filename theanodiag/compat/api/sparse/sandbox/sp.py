"""theano.sparse.sandbox.sp: what moved to theano.sparse, by its older place."""

from ..basic import *
from ..basic import __getattr__
