"""The legacy module tree: this file serves `theano`, `api/tensor/basic.py` serves `theano.tensor.basic`.

A file defines names that PyTensor lacks or that mean something else there; all other names come from PyTensor (see modules.py). Every name
in a file is served, except modules and dunders, and modules listed in `__all__`. `AESARA` in a file lists the differences for scripts that
import aesara. Modules that only re-export names have no file but a row in `names/reexports.py`.
"""

import importlib
import logging
from typing import Any

from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.link.c.type import Generic, generic

from .. import finder as _finder  # serves the modules below that only re-export
from ..behaviour.functions import Param, function
from .compile.builders import OpFromGraph, as_op
from .configparser import change_flags, config
from .gradient import Lop, Rop, grad
from .printing import pp, pprint
from .scan_module.scan import foldl, foldr, map, reduce, scan, scan_checkpoints
from .scan_module.scan_utils import clone
from .updates import OrderedUpdates

_ELSEWHERE = {"get_scalar_constant_value": "tensor.basic", "Updates": "updates"}
theano_logger = logging.getLogger("theano")
logging_default_handler = logging.StreamHandler()
logging_default_formatter = logging.Formatter(fmt="%(levelname)s (%(name)s): %(message)s")
logging_default_handler.setFormatter(logging_default_formatter)


def sparse_grad(var: Any) -> Any:
    """`theano.sparse_grad`: returns `var` unchanged. Theano kept the gradient of such rows sparse; here it is dense,
    with the same values."""
    return var


def disable_log_handler(logger: Any = theano_logger, handler: Any = logging_default_handler) -> None:
    """Removes `handler` from `logger`."""
    if logger.handlers:
        logger.removeHandler(handler)


def __getattr__(name: str) -> Any:
    """Loads names that other files of this folder define, at their first use."""
    if name in _ELSEWHERE:
        return getattr(importlib.import_module(__name__ + "." + _ELSEWHERE[name]), name)
    raise AttributeError(name)
