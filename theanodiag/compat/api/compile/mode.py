"""Serves `theano.compile.mode` with FAST_RUN and FAST_COMPILE; other names come from pytensor.compile.mode."""

from pytensor.compile.mode import CVM as FAST_RUN
from pytensor.compile.mode import FAST_COMPILE
