"""Serves `theano.gof.op`: Op, and the functions for test values from behaviour/test_values.py."""

from typing import Any, Dict, List

from pytensor.graph import utils
from pytensor.graph.op import Op
from pytensor.link.c.interface import CLinkerOp
from pytensor.link.c.op import OpenMPOp

from ...behaviour.c_code import LegacyExternalCOp as COp
from ...behaviour.test_values import (
    debug_assert,
    debug_error_message,
    get_debug_values,
    get_test_value,
    missing_test_message,
)

__all__ = ["utils"]
PureOp = Op
ops_with_inner_function: Dict[Any, str] = {}
