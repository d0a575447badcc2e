"""theano.scalar.basic."""

from . import *
from . import Scalar
