"""Serves `theano.configdefaults`: the flags, their parameter types, and the widths of C types."""

from pytensor.configparser import BoolParam, ConfigParam, EnumStr, FloatParam, IntParam, StrParam

from ..behaviour.config import add as AddConfigVar
from ..behaviour.config import bits as _bits
from ..behaviour.config import config

gcc_version_str = str(config.gcc_version_str)


def local_bitwidth() -> int:
    """Returns the width of a pointer, in bits."""
    return _bits("P")


def python_int_bitwidth() -> int:
    """Returns the width of a C long, in bits."""
    return _bits("l")
