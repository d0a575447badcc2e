"""Variables of any type: made without an owner, and what else Theano's could do. Those of tensors are changed in tensors.py."""

from typing import Any

from pytensor.graph.basic import Constant, Variable


def apply(origin: str) -> None:
    """Changes the classes."""
    plain_init = Variable.__init__

    def __init__(self: Any, type: Any, owner: Any = None, index: Any = None, name: Any = None) -> None:
        plain_init(self, type, owner, index, name)

    Variable.__init__ = __init__
    Constant.value = property(lambda self: self.data)
