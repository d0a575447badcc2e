"""Sorting along an axis that may be symbolic (`theano.tensor.sort` of Theano 1.0.5)."""

from typing import Any, List

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import grad_undefined
from pytensor.graph.basic import Apply, Constant
from pytensor.tensor.type import TensorType

from .op import LegacyOp


class _Sorting(LegacyOp):
    """Base class of SortOp and ArgSortOp. The axis is the second input; `kind` and `order` are numpy's arguments."""

    __props__ = ("kind", "order")

    def __init__(self, kind: Any = "quicksort", order: Any = None) -> None:
        self.kind = kind
        self.order: Any = tuple(order) if isinstance(order, list) else order

    def __str__(self) -> str:
        return f"{type(self).__name__}{{{self.kind}, {self.order}}}"

    def _inputs(self, input: Any, axis: Any) -> List[Any]:
        if axis is None:
            raise TypeError("sort axis must be an integer: flatten the input for None")
        return [pt.as_tensor_variable(input), pt.as_tensor_variable(axis)]

    @staticmethod
    def _axis(axis: Any) -> int:
        if axis != int(axis):
            raise ValueError("sort axis must be an integer or None")
        return int(axis)

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Shape of the input."""
        return [shapes[0]]


class SortOp(_Sorting):
    """`numpy.sort`: a sorted copy along an axis."""

    def make_node(self, input: Any, axis: Any = -1) -> Apply:
        """Node over the tensor `input` and the integer `axis`; TypeError where the axis is None."""
        inputs = self._inputs(input, axis)
        return Apply(self, inputs, [inputs[0].type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.sort; ValueError where the axis is not an integer."""
        output_storage[0][0] = np.sort(inputs[0], self._axis(inputs[1]), self.kind, self.order)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """The output's gradient in the order of the unsorted input; undefined for the axis."""
        a, axis = inputs
        back = argsort(argsort(a, axis, self.kind, self.order), axis, self.kind, self.order)
        places = pt.switch(pt.ge(axis, 0), axis, a.ndim + axis)
        entry = []
        for i in range(a.ndim):
            line = pt.arange(a.shape[i]).dimshuffle(*["x"] * i, 0, *["x"] * (a.ndim - i - 1))
            if isinstance(axis, Constant):
                entry.append(back if int(axis.data) % a.ndim == i else line)
            else:
                entry.append(pt.switch(pt.eq(places, i), back, line))
        undefined = grad_undefined(self, 1, axis, "The gradient of sort is not defined with respect to the integer axes itself")
        return [cotangents[0][tuple(entry)], undefined]


class ArgSortOp(_Sorting):
    """`numpy.argsort`: indices (int64) that sort a tensor along an axis."""

    def make_node(self, input: Any, axis: Any = -1) -> Apply:
        """Node over the tensor `input` and the integer `axis`; TypeError where the axis is None."""
        inputs = self._inputs(input, axis)
        return Apply(self, inputs, [TensorType("int64", inputs[0].type.broadcastable)()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.argsort; ValueError where the axis is not an integer."""
        output_storage[0][0] = np.asarray(np.argsort(inputs[0], self._axis(inputs[1]), self.kind, self.order), dtype="int64")

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Zeros: the indices are piecewise constant; undefined for the axis."""
        undefined = grad_undefined(self, 1, inputs[1], "argsort is not defined for non-integer axes")
        return [inputs[0].zeros_like(), undefined]


def sort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """`a` sorted along `axis`; flattened first where `axis` is None."""
    return SortOp(kind, order)(*((pt.flatten(a), 0) if axis is None else (a, axis)))


def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Indices that sort `a` along `axis`; of the flattened `a` where `axis` is None."""
    return ArgSortOp(kind, order)(*((pt.flatten(a), 0) if axis is None else (a, axis)))
