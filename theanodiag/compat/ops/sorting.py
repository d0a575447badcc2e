"""Sorting along an axis that may be symbolic, and the k largest or smallest elements (`theano.tensor.sort` of Theano 1.0.5)."""

from typing import Any, List, Sequence

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import disconnected_type, grad_undefined
from pytensor.graph.basic import Apply, Constant
from pytensor.graph.rewriting.basic import copy_stack_trace, node_rewriter
from pytensor.tensor.rewriting.basic import register_useless
from pytensor.tensor.type import TensorType, integer_dtypes

from .. import old_sorts
from .op import LegacyOp


class TopKOp(LegacyOp):
    """The k largest elements along `axis` (the |k| smallest for negative k), their indices, or both, in no particular order."""

    __props__ = ("axis", "sorted", "return_values", "return_indices", "idx_dtype")

    def __init__(
        self, axis: int = -1, sorted: bool = True, idx_dtype: str = "int64", return_values: bool = True, return_indices: bool = True
    ) -> None:
        if not isinstance(axis, int):
            raise TypeError(f'"axis" parameter must be integer, got "{type(axis)}"')
        if sorted:
            raise NotImplementedError("The sorted parameter is not yet implemented. Use sorted=False for now.")
        if idx_dtype not in integer_dtypes:
            raise TypeError(f'"idx_dtype" parameter must be an integer dtype, got "{idx_dtype}"')
        if not (return_indices or return_values):
            raise ValueError("Neither return_values nor return_indices is True, this isn't allowed")
        self.axis = axis
        self.sorted = sorted
        self.return_values = return_values
        self.return_indices = return_indices
        self.idx_dtype = idx_dtype

    def make_node(self, inp: Any, kth: Any) -> Apply:
        """Makes the Apply node for the tensor `inp` and the integer scalar `kth`. Raises ValueError for a wrong rank, and IndexError for an
        axis out of range.
        """
        inp, kth = pt.as_tensor_variable(inp), pt.as_tensor_variable(kth)
        if inp.ndim == 0:
            raise ValueError("Cannot take scalar as input")
        if not -inp.ndim <= self.axis < inp.ndim:
            raise IndexError(f'"axis" parameter out of range, expected integer within [{-inp.ndim}, {inp.ndim - 1}]')
        if kth.ndim != 0:
            raise ValueError(f"{kth} is expected to be 0d tensor, got {kth.ndim}")
        flags = inp.type.broadcastable
        outputs = [inp.type()] if self.return_values else []
        if self.return_indices:
            outputs.append(TensorType(self.idx_dtype, flags)())
        return Apply(self, [inp, kth], outputs)

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: Any) -> None:
        """Calls numpy.argpartition. Raises ValueError if k is 0 or larger than the length of the axis."""
        x, k = inputs[0], int(inputs[1])
        axis = self.axis % x.ndim
        if k == 0:
            raise ValueError("topk: kth cannot be zero")
        if k > x.shape[axis]:
            raise ValueError(f"topk: kth cannot be larger than the size of specified axis {axis}")
        places = self._places(x, k, axis)
        results = [np.take_along_axis(x, places, axis)] if self.return_values else []
        if self.return_indices:
            results.append(places.astype(self.idx_dtype))
        for storage, result in zip(output_storage, results):
            storage[0] = result

    @staticmethod
    def _places(x: Any, k: int, axis: int) -> Any:
        if abs(k) == 1:
            return np.expand_dims((np.argmax if k > 0 else np.argmin)(x, axis=axis), axis)
        if x.shape[axis] == abs(k):
            line = np.arange(abs(k)).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
            return np.broadcast_to(line, x.shape)
        part = [slice(None)] * x.ndim
        part[axis] = slice(-k, None) if k > 0 else slice(-k)
        return old_sorts.placed(np.argpartition, "argpartition", x, -k, axis=axis)[tuple(part)]

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Returns the shape of the input, with |k| along the axis."""
        shape = list(shapes[0])
        shape[self.axis] = pt.abs(node.inputs[1])
        return [tuple(shape)] * len(node.outputs)

    def connection_pattern(self, node: Apply) -> List[List[bool]]:
        """Only the values depend on the tensor; every output depends on k."""
        return [[bool(self.return_values and i == 0) for i in range(len(node.outputs))], [True] * len(node.outputs)]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Places the values' gradient at the positions of the selected elements, zeros elsewhere; undefined for k."""
        x, k = inputs
        undefined = grad_undefined(self, 1, k, "topk: k is not differentiable")
        if not self.return_values:
            return [disconnected_type(), undefined]
        places = outputs[-1]
        if not self.return_indices:
            places = TopKOp(self.axis, self.sorted, self.idx_dtype, False, True)(x, k)
        axis = self.axis % x.ndim
        grid = [places if i == axis else pt.arange(x.shape[i]).dimshuffle(*["x"] * i, 0, *["x"] * (x.ndim - i - 1)) for i in range(x.ndim)]
        return [pt.set_subtensor(x.zeros_like(dtype=cotangents[0].dtype)[tuple(grid)], cotangents[0]), undefined]


@register_useless("fast_compile")
@node_rewriter([TopKOp])
def local_useless_topk(fgraph: Any, node: Apply) -> Any:
    """Replaces a TopKOp with only one used output by a TopKOp that computes only that output."""
    op = node.op
    if not (op.return_values and op.return_indices):
        return False
    used = [bool(fgraph.clients[output]) for output in node.outputs]
    if all(used) or not any(used):
        return False
    kept = TopKOp(op.axis, op.sorted, op.idx_dtype, return_values=used[0], return_indices=used[1])(*node.inputs)
    copy_stack_trace(node.outputs[used.index(True)], kept)
    return {node.outputs[used.index(True)]: kept}


def _flat(x: Any, axis: Any) -> Any:
    return (pt.flatten(x), 0) if axis is None else (x, axis)


def topk(x: Any, kth: Any, axis: Any = -1, sorted: bool = True, idx_dtype: str = "int64") -> Any:
    """Returns the `kth` largest elements along `axis`; of the flattened `x` where `axis` is None."""
    x, axis = _flat(x, axis)
    return TopKOp(axis=axis, sorted=sorted, idx_dtype=idx_dtype)(x, kth)[0]


def argtopk(x: Any, kth: Any, axis: Any = -1, sorted: bool = True, idx_dtype: str = "int64") -> Any:
    """Returns the indices of the `kth` largest elements along `axis`; into the flattened `x` where `axis` is None."""
    x, axis = _flat(x, axis)
    return TopKOp(axis=axis, sorted=sorted, idx_dtype=idx_dtype)(x, kth)[1]


def topk_and_argtopk(x: Any, kth: Any, axis: Any = -1, sorted: bool = True, idx_dtype: str = "int64") -> Any:
    """Returns [values, indices] of the `kth` largest elements along `axis`; of the flattened `x` where `axis` is None."""
    x, axis = _flat(x, axis)
    return TopKOp(axis=axis, sorted=sorted, idx_dtype=idx_dtype)(x, kth)


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
        """Returns the shape of the input."""
        return [shapes[0]]


class SortOp(_Sorting):
    """`numpy.sort`: a sorted copy along an axis."""

    def make_node(self, input: Any, axis: Any = -1) -> Apply:
        """Makes the Apply node for the tensor `input` and the integer `axis`. Raises TypeError if the axis is None."""
        inputs = self._inputs(input, axis)
        return Apply(self, inputs, [inputs[0].type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.sort. Raises ValueError if the axis is not an integer."""
        output_storage[0][0] = np.sort(inputs[0], self._axis(inputs[1]), self.kind, self.order)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Returns the output's gradient in the order of the unsorted input; undefined for the axis."""
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
        """Makes the Apply node for the tensor `input` and the integer `axis`. Raises TypeError if the axis is None."""
        inputs = self._inputs(input, axis)
        return Apply(self, inputs, [TensorType("int64", inputs[0].type.broadcastable)()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.argsort. Raises ValueError if the axis is not an integer."""
        found = old_sorts.placed(np.argsort, "argsort", inputs[0], self._axis(inputs[1]), self.kind, self.order)
        output_storage[0][0] = np.asarray(found, dtype="int64")

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Zeros: the indices are piecewise constant; undefined for the axis."""
        undefined = grad_undefined(self, 1, inputs[1], "argsort is not defined for non-integer axes")
        return [inputs[0].zeros_like(), undefined]


def sort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Returns `a` sorted along `axis`; flattened first where `axis` is None."""
    return SortOp(kind, order)(*((pt.flatten(a), 0) if axis is None else (a, axis)))


def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Returns the indices that sort `a` along `axis`; of the flattened `a` where `axis` is None."""
    return ArgSortOp(kind, order)(*((pt.flatten(a), 0) if axis is None else (a, axis)))
