"""Theano's types in PyTensor: old attributes, conversion of input values, the types of counts in typed lists, and the state in pickles
written by Theano."""

import itertools
from typing import Any

import numpy
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.configdefaults import config
from pytensor.graph.basic import Apply
from pytensor.graph.type import Type
from pytensor.tensor.elemwise import CAReduce, DimShuffle
from pytensor.tensor.math import Prod, Sum
from pytensor.tensor.subtensor import IncSubtensor, Subtensor
from pytensor.tensor.type import TensorType, scalar
from pytensor.typed_list.basic import Count, Index


def apply(origin: str) -> None:
    """Makes TensorType, DimShuffle, SharedVariable, Subtensor and IncSubtensor accept Theano's pickled state, and gives the Ops of typed
    lists Theano's types."""

    def __setstate__(self: Any, state: dict[str, Any]) -> None:
        if "shape" not in state and "broadcastable" in state:
            flags = tuple(bool(flag) for flag in state["broadcastable"])
            state = {**state, "broadcastable": flags, "shape": tuple(1 if flag else None for flag in flags), "ndim": len(flags)}
            state.setdefault("numpy_dtype", numpy.dtype(state["dtype"]))
        self.__dict__.update(state)

    TensorType.__setstate__ = __setstate__
    _convert_inputs()
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
    for op in (Count, Index):
        _give_floats(op)

    def of_shared(self: Any, state: dict[str, Any]) -> None:
        state = dict(state)
        state.setdefault("_default_update", state.pop("default_update", None))
        self.__dict__.update(state)

    SharedVariable.__setstate__ = of_shared
    for op in (Subtensor, IncSubtensor):
        op.__setstate__ = _of_subtensor


def _convert_inputs() -> None:
    """Replaces TensorType.filter: numpy 2's OverflowError becomes a TypeError, or the value wraps around if a downcast is allowed.

    Adds `filter_checks_isfinite` and `value_zeros`.
    """
    plain = TensorType.filter

    def filter(self: Any, data: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
        try:
            value = plain(self, data, strict, allow_downcast)
            if self.filter_checks_isfinite and not numpy.all(numpy.isfinite(value)):
                raise ValueError("non-finite elements not allowed")
            return value
        except OverflowError:
            if allow_downcast:
                return plain(self, numpy.asarray(data).astype(self.dtype), strict, allow_downcast)
            raise TypeError("Type {} cannot hold {!r}; wrap it with allow_downcast=True".format(self, data)) from None

    TensorType.filter = filter
    TensorType.filter_checks_isfinite = False
    TensorType.value_zeros = lambda self, shape: numpy.zeros(shape, dtype=self.dtype)


def _give_floats(op: Any) -> None:
    """Makes an Op of typed lists, a class with one integer output, return that as floatX, as Theano did."""
    make_node, perform = op.make_node, op.perform

    def of_float(self: Any, *inputs: Any) -> Any:
        return Apply(self, make_node(self, *inputs).inputs, [scalar(dtype=config.floatX)])

    def to_float(self: Any, node: Any, inputs: Any, outputs: Any) -> None:
        perform(self, node, inputs, outputs)
        if outputs[0][0] is not None:
            outputs[0][0] = numpy.asarray(outputs[0][0], dtype=node.outputs[0].type.dtype)

    op.make_node, op.perform = of_float, to_float


class _OldName:
    """A descriptor for an attribute of a class and its instances that is now called `name`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: Any) -> Any:
        return getattr(owner, self.name)


def _of_subtensor(self: Any, state: dict[str, Any]) -> None:
    """Sets the state of an indexing Op, whose `idx_list` contains Types in Theano and input positions in PyTensor."""
    numbers = itertools.count()

    def numbered(entry: Any) -> Any:
        if isinstance(entry, slice):
            return slice(numbered(entry.start), numbered(entry.stop), numbered(entry.step))
        return next(numbers) if isinstance(entry, Type) else entry

    self.__dict__.update(state, idx_list=tuple(numbered(entry) for entry in state["idx_list"]))
    if "destroyhandler_tolerate_aliased" in state:  # a list in Theano; before 3.3 it is one of the __props__
        self.destroyhandler_tolerate_aliased = tuple(map(tuple, state["destroyhandler_tolerate_aliased"]))
