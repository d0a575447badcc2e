"""Serves `theano.configparser`: PyTensor's parameter types under Theano's names, and the contents of rc files and THEANO_FLAGS."""

import configparser as _configparser
import os
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

from .. import environment
from ..behaviour.config import add as AddConfigVar
from ..behaviour.config import change_flags, config


def fetch_val_for_key(key: str, delete_key: bool = False) -> Any:
    """Returns the value of the flag `key` in the rc files and THEANO_FLAGS. Raises KeyError if it is not set there. `delete_key` has no
    effect.
    """
    values = dict(environment.legacy("theano", os.environ))
    return values[key]


THEANO_FLAGS = os.environ.get("THEANO_FLAGS", "")
THEANO_FLAGS_DICT = dict(environment.parse(THEANO_FLAGS))


def config_files_from_theanorc() -> List[str]:
    """Returns the paths of the rc files that Theano would read: those in THEANORC, else ~/.theanorc."""
    return [os.path.expanduser(path) for path in os.environ.get("THEANORC", "~/.theanorc").split(os.pathsep)]


config_files = config_files_from_theanorc()
theano_cfg = _configparser.ConfigParser(interpolation=None, strict=False, allow_no_value=True)
theano_raw_cfg = _configparser.RawConfigParser(strict=False, allow_no_value=True)
for _cfg in (theano_cfg, theano_raw_cfg):
    try:
        _cfg.read(config_files)
    except (_configparser.Error, UnicodeDecodeError):
        pass


def get_config_hash() -> str:
    """Returns the hash of the flags that affect compiled code."""
    import pytensor

    return str(pytensor.config.get_config_hash())


get_config_md5 = get_config_hash
