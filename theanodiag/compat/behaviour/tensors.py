"""Behaviour of Theano's Variables: optional owner, `Constant.value`, truth values, indexing with None, older arguments of methods."""

import sys
from functools import wraps
from typing import Any, Callable, Optional

import numpy as np
import pytensor.tensor as pt
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Constant, Variable
from pytensor.scalar.basic import ScalarVariable
from pytensor.tensor.variable import TensorVariable, _tensor_py_operators

Subtensor1: Any = getattr(pt.subtensor, "AdvancedSubtensor1", None)
"""AdvancedSubtensor1, or None where PyTensor has no such class."""


def _truth(self: Any) -> bool:
    """Truth value of a Variable: True. Raises TypeError for the result of a comparison, so that `a < b < c` is detected."""
    if getattr(self, "_is_nonzero", True):
        return True
    raise TypeError("Variables do not support boolean operations.")


def _comparison(original: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    @wraps(original)
    def compare(self: Any, other: Any) -> Any:
        result = original(self, other)
        result._is_nonzero = False
        return result

    return compare


def _drops_the_rest(self: Any, entries: Any) -> bool:
    """Whether Theano dropped the dimensions without an entry in `self[entries]`.

    Theano turned `m[:, None]` into `m.dimshuffle(0, "x")`: for a column m that is a matrix of one column, not a tensor of three dimensions.
    If the dimension cannot be dropped, Theano raised an error; then numpy's meaning is used.
    """
    if not any(entry is None for entry in entries) or any(entry is Ellipsis for entry in entries):
        return False
    if any(isinstance(entry, (list, np.ndarray)) or getattr(entry, "ndim", 0) for entry in entries if entry is not None):
        return False
    named = sum(entry is not None for entry in entries)
    return named < self.type.ndim and all(self.type.broadcastable[named:])


def _inside() -> bool:
    """Whether the indexing is in code of PyTensor or of this layer, which expects numpy's meaning."""
    caller = str(sys._getframe(2).f_globals.get("__name__", ""))
    return caller.partition(".")[0] == "pytensor" or caller.startswith(__name__.rpartition(".behaviour")[0])


def _getitem(original: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    @wraps(original)
    def __getitem__(self: Any, args: Any) -> Any:
        if isinstance(args, (int, slice)):
            return original(self, args)
        entries = args if isinstance(args, tuple) else (args,)
        if _drops_the_rest(self, entries) and not _inside():
            named = sum(entry is not None for entry in entries)
            self = self.dimshuffle(*range(named))
        return _by_one_vector(original(self, args))

    return __getitem__


def _by_one_vector(result: Any) -> Any:
    """`x[vector]` computed by AdvancedSubtensor1, as in Theano, if PyTensor still has it; else `result` itself."""
    node = result.owner
    if Subtensor1 is None or node is None or not isinstance(node.op, pt.subtensor.AdvancedSubtensor) or node.op.idx_list != (0,):
        return result
    index = node.inputs[1]
    return Subtensor1()(*node.inputs) if index.type.ndim == 1 and index.type.dtype != "bool" else result


def _reshape(self: Any, shape: Any, ndim: Optional[int] = None) -> Any:
    """`reshape` with Theano's argument `ndim`, for a shape whose length is unknown."""
    if ndim is not None and not isinstance(ndim, (int, np.integer)):
        raise ValueError("Expected ndim to be an integer, is " + str(type(ndim)))
    return pt.reshape(self, shape, ndim=ndim)


def _choose(self: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """`choose` with Theano's arguments: the elements of `choices` selected by the indices in this Variable."""
    return pt.choose(self, choices, mode=mode)


def _get_scalar_constant_value(self: Any) -> Any:
    """The value of this Variable if it is a constant of one element. Raises NotScalarConstantError otherwise."""
    return pt.get_underlying_scalar_constant_value(self)


def _size(self: Any) -> Any:
    """Number of elements."""
    return self.shape[0] if self.type.ndim == 1 else pt.prod(self.shape)


def _min(original: Callable[..., Any]) -> Callable[..., Any]:
    """`min` without PyTensor's -max(-x) for signed integers: the lowest has no negative, and the rewrites of a sum take it apart (ptp)."""

    @wraps(original)
    def min(x: Any, axis: Any = None, keepdims: bool = False, **kwargs: Any) -> Any:
        x = pt.as_tensor_variable(x)
        if kwargs or not str(x.type.dtype).startswith("int"):
            return original(x, axis=axis, keepdims=keepdims, **kwargs)
        return ~pt.max(~x, axis=axis, keepdims=keepdims)

    return min


def _any_variable() -> None:
    """Changes Variables of any type: `owner` is optional, `default_update` can be deleted, and Constants have `value`."""
    for kind in (Variable, TensorVariable, ScalarVariable):
        if "__init__" in vars(kind):
            kind.__init__.__defaults__ = (None, None, None)  # owner, index, name
    update = SharedVariable.default_update
    SharedVariable.default_update = update.deleter(lambda self: setattr(self, "default_update", None))
    Constant.value = property(lambda self: self.data)


def _not_a_tensor(x: Any, name: Any, ndim: Any, **kwargs: Any) -> Any:
    """Raises Theano's error for objects that are not tensors: AsTensorError, a TypeError. PyTensor raises NotImplementedError."""
    raise TypeError("Cannot convert {!r} to a tensor variable.".format(x))


def with_truth() -> None:
    """Adds Theano's truth values to Variables, for `if variable:`; PyTensor's raise TypeError."""
    kind = _tensor_py_operators
    if kind.__bool__ is _truth:
        return
    kind.__bool__ = _truth
    kind.__nonzero__ = _truth
    for name in ("__lt__", "__le__", "__gt__", "__ge__"):
        setattr(kind, name, _comparison(getattr(kind, name)))


def apply(origin: str) -> None:
    """Adds Theano's methods to Variables; indexing with None changes only for the package `theano`."""
    _any_variable()
    pt._as_tensor_variable.register(object)(_not_a_tensor)
    kind = _tensor_py_operators
    with_truth()
    kind.reshape = _reshape
    kind.choose = _choose
    pt.min = pt.math.min = _min(pt.math.min)
    kind.get_scalar_constant_value = _get_scalar_constant_value
    if origin == "theano":
        kind.__getitem__ = _getitem(kind.__getitem__)
