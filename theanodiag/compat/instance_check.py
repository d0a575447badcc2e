"""The metaclass of legacy Op classes that are called otherwise than the PyTensor Op that does their work."""

from typing import Any


class OpInstanceCheck(type):
    """Metaclass: `isinstance(x, cls)` is also true of instances of the PyTensor Op `cls.op`, whose nodes the class makes."""

    op: Any = None
    """The PyTensor Op class; each class sets its own."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.op) or type(instance) is cls
