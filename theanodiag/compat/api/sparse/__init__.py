"""theano.sparse."""

from .basic import *
from .basic import __getattr__
