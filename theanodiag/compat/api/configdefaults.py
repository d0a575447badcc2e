"""`theano.configdefaults`."""

from pytensor.configparser import BoolParam, ConfigParam, EnumStr, FloatParam, IntParam, StrParam

from ..behaviour.config import add as AddConfigVar
from ..behaviour.config import bits as _bits
from ..behaviour.config import config

gcc_version_str = str(config.gcc_version_str)


def local_bitwidth() -> int:
    """Bits of a pointer."""
    return _bits("P")


def python_int_bitwidth() -> int:
    """Bits of a C long."""
    return _bits("l")
