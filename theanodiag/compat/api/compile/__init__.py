"""Serves `theano.compile` from PyTensor's compile package and this layer's `function`, `OpFromGraph`, `MonitorMode` and `as_op`."""

from pytensor.compile.executor import AliasedMemoryError, Function
from pytensor.compile.maker import FunctionMaker, UnusedInputError
from pytensor.compile.mode import CVM as FAST_RUN
from pytensor.compile.mode import FAST_COMPILE

from ...behaviour.functions import Param, convert_function_input, function, orig_function, pfunc
from .builders import OpFromGraph
from .monitormode import MonitorMode
from .ops import Rebroadcast, as_op
