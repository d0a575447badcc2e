"""`theano.compile`."""

from pytensor.compile.maker import function
from pytensor.compile.maker import function as pfunc
from pytensor.compile.mode import FAST_COMPILE
