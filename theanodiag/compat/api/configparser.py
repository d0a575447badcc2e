"""`theano.configparser`."""

from typing import Any, List

from pytensor.configparser import (
    BoolParam,
    ConfigParam,
    EnumStr,
    FloatParam,
    IntParam,
    StrParam,
    TypedParam,
    parse_config_string,
)
from pytensor.configparser import PyTensorConfigParser as TheanoConfigParser
from pytensor.configparser import PyTensorConfigWarning as TheanoConfigWarning

from ..behaviour.config import add as AddConfigVar
from ..behaviour.config import change_flags, config


def fetch_val_for_key(key: str, delete_key: bool = False) -> Any:
    """The value that the environment gives to a flag; KeyError where it gives none."""
    import os

    from .. import environment

    found = dict(environment.legacy("theano", os.environ))
    return found[key]


def get_config_hash() -> str:
    """A hash of the flags that change compiled code."""
    import pytensor

    return str(pytensor.config.get_config_hash())
