"""Names of Types' attributes, and pickles that Theano wrote: the state of its types, Ops and shared variables becomes PyTensor's."""

import itertools
from typing import Any

import numpy
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.type import Type
from pytensor.tensor.elemwise import CAReduce, DimShuffle
from pytensor.tensor.math import Prod, Sum
from pytensor.tensor.subtensor import IncSubtensor, Subtensor
from pytensor.tensor.type import TensorType


def apply(origin: str) -> None:
    """Gives TensorType, DimShuffle, SharedVariable, Subtensor and IncSubtensor a `__setstate__` that accepts Theano's state."""

    def __setstate__(self: Any, state: dict[str, Any]) -> None:
        if "shape" not in state and "broadcastable" in state:
            flags = tuple(bool(flag) for flag in state["broadcastable"])
            state = {**state, "broadcastable": flags, "shape": tuple(1 if flag else None for flag in flags), "ndim": len(flags)}
            state.setdefault("numpy_dtype", numpy.dtype(state["dtype"]))
        self.__dict__.update(state)

    TensorType.__setstate__ = __setstate__
    Type.Variable, Type.Constant = _OldName("variable_type"), _OldName("constant_type")
    # Attributes that PyTensor's Ops gained since: an unpickled Op lacks them and finds the class's.
    CAReduce.upcast_discrete_output = False
    Sum.upcast_discrete_output = Prod.upcast_discrete_output = True
    plain = getattr(DimShuffle, "__setstate__", None)

    def of_dimshuffle(self: Any, state: dict[str, Any]) -> None:
        if "input_ndim" not in state and "input_broadcastable" in state:
            self.__init__(input_ndim=len(state["input_broadcastable"]), new_order=state["new_order"])
        elif plain is not None:
            plain(self, state)
        else:
            self.__dict__.update(state)

    DimShuffle.__setstate__ = of_dimshuffle

    def of_shared(self: Any, state: dict[str, Any]) -> None:
        state = dict(state)
        state.setdefault("_default_update", state.pop("default_update", None))
        self.__dict__.update(state)

    SharedVariable.__setstate__ = of_shared
    for op in (Subtensor, IncSubtensor):
        op.__setstate__ = _of_subtensor


class _OldName:
    """Descriptor for an attribute that is now called `name`, of a class and of its instances."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: Any) -> Any:
        return getattr(owner, self.name)


def _of_subtensor(self: Any, state: dict[str, Any]) -> None:
    """Sets the state of an indexing Op, in whose `idx_list` Theano kept Types where PyTensor keeps numbers of inputs."""
    numbers = itertools.count()

    def numbered(entry: Any) -> Any:
        if isinstance(entry, slice):
            return slice(numbered(entry.start), numbered(entry.stop), numbered(entry.step))
        return next(numbers) if isinstance(entry, Type) else entry

    self.__dict__.update(state, idx_list=tuple(numbered(entry) for entry in state["idx_list"]))
