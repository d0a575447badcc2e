"""Tensor types that store which lengths are 1 and no other length, as Theano's did.

PyTensor stores every length that it can infer. Two variables of one type in Theano may then have different types, which `scan` and `ifelse`
reject, and a length of 1 that Theano did not know is broadcast where Theano raised an error. Vectors of integers keep their length:
PyTensor derives the rank of a reshape from it, as Theano did from the graph.
"""

from functools import wraps
from typing import Any, Callable, Iterable, Optional, Tuple

import numpy as np
import pytensor.tensor as pt
from pytensor.graph.basic import Apply, Constant
from pytensor.tensor.shape import Shape
from pytensor.tensor.type import TensorType
from pytensor.tensor.variable import TensorConstant

Lengths = Tuple[Optional[int], ...]
"""A static shape: a length for each dimension, None where it is unknown."""
_NAMES = {(): "scalar", (False,): "vector", (False, True): "col", (True, False): "row", (False, False): "matrix"}


def known_lengths(dtype: str, lengths: Lengths) -> Lengths:
    """Returns the static shape that a type of `dtype` stores, from the `lengths` that PyTensor inferred."""
    if len(lengths) == 1 and "int" in dtype:
        return lengths
    return tuple(1 if length == 1 else None for length in lengths)


def legacy_name(type_: Any) -> str:
    """Returns a type in Theano's notation: `TensorType(float64, matrix)`."""
    if type_.name:
        return str(type_.name)
    flags = type_.broadcastable
    pattern = _NAMES.get(flags) or (str(flags) if any(flags) else f"{len(flags)}D")
    return f"TensorType({type_.dtype}, {pattern})"


def _type_init(original: Callable[..., None]) -> Callable[..., None]:
    @wraps(original)
    def __init__(
        self: Any, dtype: Any, shape: Any = None, name: Optional[str] = None, sparse_grad: bool = False, *,
        broadcastable: Optional[Iterable[bool]] = None,
    ) -> None:  # fmt: skip
        lengths = shape if broadcastable is None else tuple(bool(flag) for flag in broadcastable)
        if not isinstance(lengths, int) and lengths is not None:
            lengths = tuple(length if length is None or isinstance(length, (bool, np.bool_)) else int(length) for length in lengths)
        if isinstance(sparse_grad, (tuple, list)):  # PyTensor passes `broadcastable` in fourth place
            lengths, sparse_grad = tuple(bool(flag) for flag in sparse_grad), False
        original(self, dtype, lengths, name)
        self.shape = known_lengths(self.dtype, self.shape)
        self.broadcastable = tuple(length == 1 for length in self.shape)
        self.sparse_grad = sparse_grad

    return __init__


def _clone(self: Any, dtype: Any = None, shape: Any = None, broadcastable: Any = None, **kwargs: Any) -> Any:
    """The type with another dtype or other lengths."""
    lengths = self.shape if shape is None and broadcastable is None else shape if broadcastable is None else broadcastable
    return type(self)(self.dtype if dtype is None else dtype, lengths, name=self.name)


def _constant_init(self: Any, type: Any, data: Any, name: Optional[str] = None) -> None:
    lengths = np.shape(data)
    if len(lengths) != type.ndim or any(known not in (None, length) for length, known in zip(lengths, type.shape)):
        raise ValueError(f"Shape of data ({lengths}) does not match shape of type ({type.shape})")
    if type.shape == (None,) and "int" in type.dtype and lengths != (1,):
        type = type.clone(shape=lengths)
    Constant.__init__(self, type, data, name)


def _constant_length(op: Any, var: Any) -> int:
    """The length of a constant vector, which its type may not store."""
    return len(var.data)


def _hide_ones(make_node: Callable[..., Apply]) -> Callable[..., Apply]:
    """Wraps `make_node` so that the outputs have no static length: for Ops whose lengths of 1 Theano never knew."""

    @wraps(make_node)
    def wrapped(self: Any, *inputs: Any, **kwargs: Any) -> Apply:
        node = make_node(self, *inputs, **kwargs)
        for output in node.outputs:
            if any(output.type.broadcastable):
                output.type = TensorType(output.type.dtype, (None,) * output.type.ndim)
        return node

    return wrapped


_replaced = []  # type: list[Tuple[Any, str, Any]]
"""The methods that `apply` replaced: (class, name, PyTensor's own method)."""
_withdrawn = []  # type: list[bool]


def _replace(owner: Any, name: str, new: Any) -> None:
    _replaced.append((owner, name, vars(owner).get(name)))
    setattr(owner, name, new)


def apply(origin: str) -> None:
    """Replaces methods of TensorType and of four Ops for the package `theano`; does nothing for `aesara`, which kept static lengths."""
    if origin != "theano" or _withdrawn:
        return
    _replace(TensorType, "__init__", _type_init(TensorType.__init__))
    _replace(TensorType, "clone", _clone)
    for printed in ("__str__", "__repr__"):
        _replace(TensorType, printed, legacy_name)
    _replace(TensorConstant, "__init__", _constant_init)
    pt._get_vector_length.register(TensorConstant)(_constant_length)
    for op in (Shape, pt.basic.ARange, pt.basic.Eye, pt.basic.ExtractDiag):
        _replace(op, "make_node", _hide_ones(op.make_node))


def withdraw() -> None:
    """Restores PyTensor's own methods permanently: PyMC's densities need static lengths and are wrong or rejected without them."""
    _withdrawn.append(True)
    while _replaced:
        owner, name, own = _replaced.pop()
        setattr(owner, name, own) if own is not None else delattr(owner, name)
