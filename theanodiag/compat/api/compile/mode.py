"""theano.compile.mode."""

from pytensor.compile.mode import CVM as FAST_RUN
from pytensor.compile.mode import FAST_COMPILE
