"""Serves `theano.updates`: OrderedUpdates, the mapping of shared variables to new values."""

from collections import OrderedDict
from typing import Any

from pytensor.compile.sharedvalue import SharedVariable


class OrderedUpdates(OrderedDict):
    """An ordered mapping from shared variables to their new values; `+` joins two.

    Raises TypeError for another key, KeyError if two mappings give one variable different values.
    """

    def __init__(self, *key: Any, **kwargs: Any) -> None:
        super().__init__(*key, **kwargs)
        for variable in self:
            self._check(variable)

    @staticmethod
    def _check(variable: Any) -> None:
        if not isinstance(variable, SharedVariable):
            raise TypeError("OrderedUpdates keys must inherit from SharedVariable", variable)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check(key)
        super().__setitem__(key, value)

    def update(self, other: Any = None) -> None:  # type: ignore[override]
        """Adds the items of `other`. Raises KeyError if both give one variable different values."""
        for key, value in OrderedDict(other or ()).items():
            if key in self:
                if self[key] is value or (not hasattr(value, "owner") and self[key] == value):
                    continue
                raise KeyError("Collision", key)
            self[key] = value

    def __add__(self, other: Any) -> "OrderedUpdates":
        joined = OrderedUpdates()
        joined.update(self)
        joined.update(other)
        return joined

    def __radd__(self, other: Any) -> "OrderedUpdates":
        joined = OrderedUpdates()
        joined.update(other)
        joined.update(self)
        return joined


class Updates(OrderedUpdates):
    """Older name of OrderedUpdates."""
