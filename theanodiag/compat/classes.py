"""Classes of the legacy API whose instances are made of what PyTensor has under another constructor."""

from typing import Any


class OfPyTensor(type):
    """Of a class that makes nodes of one of PyTensor's Ops, `op`: those are its instances."""

    op: Any = None

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.op) or type(instance) is cls
