"""Variables: true as a condition, made without an owner, and what else Theano's variables could do."""

from typing import Any

from pytensor.graph.basic import Constant, Variable
from pytensor.tensor.variable import TensorVariable


def _truth(self: Any) -> bool:
    """A variable is true, so that `if not W:` works; a comparison has no truth before it is computed."""
    if getattr(self, "owner", None) is not None and getattr(self, "_is_nonzero", True) is False:
        raise TypeError("Variables do not support boolean operations.")
    return True


def apply(origin: str) -> None:
    """Changes the classes."""
    plain_init = Variable.__init__

    def __init__(self: Any, type: Any, owner: Any = None, index: Any = None, name: Any = None) -> None:
        plain_init(self, type, owner, index, name)

    Variable.__init__ = __init__
    Constant.value = property(lambda self: self.data)
    TensorVariable.__bool__ = _truth
