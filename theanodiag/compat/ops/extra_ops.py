"""Ops of Theano that PyTensor has as functions or with other arguments: DiffOp, RepeatOp, Unique, PermuteRowElements and Raise."""

from typing import Any, List, Sequence, Type

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import disconnected_type
from pytensor.graph.basic import Apply
from pytensor.tensor.exceptions import NotScalarConstantError
from pytensor.tensor.shape import Shape_i
from pytensor.tensor.type import TensorType, integer_dtypes

from .op import LegacyOp, OpInstanceCheck


class DiffOp(LegacyOp):
    """`numpy.diff`: the n-th difference along `axis`; a view of the input if n is 0."""

    __props__ = ("n", "axis")

    def __init__(self, n: int = 1, axis: int = -1) -> None:
        self.n = n
        self.axis = axis
        if n == 0:
            self.view_map = {0: [0]}

    def make_node(self, x: Any) -> Apply:
        """Makes the Apply node for the tensor `x`."""
        x = pt.as_tensor_variable(x)
        flags = list(x.type.broadcastable)
        flags[self.axis] = False
        return Apply(self, [x], [TensorType(x.type.dtype, flags)()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.diff."""
        output_storage[0][0] = np.diff(inputs[0], n=self.n, axis=self.axis)

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Returns the shape of the input, with n less along the axis."""
        shape = list(shapes[0])
        shape[self.axis] = shape[self.axis] - self.n
        return [tuple(shape)]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Adjoint of the difference, applied n times: the gradient padded with a zero in front minus the one padded behind."""
        (x,), (g,) = inputs, cotangents
        axis = self.axis % x.ndim
        for _ in range(self.n):
            edge = pt.zeros([1 if i == axis else g.shape[i] for i in range(x.ndim)], dtype=g.dtype)
            g = pt.join(axis, edge, g) - pt.join(axis, g, edge)
        return [g]


class RepeatOp(LegacyOp):
    """`numpy.repeat` along `axis`, or of the flattened input where `axis` is None."""

    __props__ = ("axis",)

    def __init__(self, axis: Any = None) -> None:
        self.axis = axis

    def make_node(self, x: Any, repeats: Any) -> Apply:
        """Makes the Apply node for the tensor `x` and the integer counts `repeats`. Raises TypeError for another dtype and for uint64."""
        x, repeats = pt.as_tensor_variable(x), pt.as_tensor_variable(repeats)
        if repeats.dtype not in integer_dtypes:
            raise TypeError("repeats.dtype must be an integer.")
        if repeats.dtype == "uint64":
            raise TypeError("dtypes ('uint64',) are not supported by numpy.repeat for the 'repeats' parameter, ", repeats.dtype)
        flags = [False] if self.axis is None else list(x.type.broadcastable)
        if self.axis is not None and getattr(repeats, "data", None) is not None:
            flags[self.axis] = flags[self.axis] and repeats.data.size == 1 and int(repeats.data.reshape(-1)[0]) == 1
        elif self.axis is not None:
            flags[self.axis] = False
        return Apply(self, [x, repeats], [TensorType(x.dtype, flags)()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.repeat."""
        output_storage[0][0] = np.repeat(inputs[0], repeats=inputs[1], axis=self.axis)

    def connection_pattern(self, node: Apply) -> List[List[bool]]:
        """Only `x` is connected to the output, `repeats` is not."""
        return [[True], [False]]

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """The repeated length is multiplied by a scalar count, or is the sum of a vector of counts."""
        repeats = pt.cast(node.inputs[1], "int64")
        if self.axis is not None:
            shape = list(shapes[0])
            shape[self.axis] = shape[self.axis] * repeats if repeats.ndim == 0 else pt.sum(repeats)
            return [tuple(shape)]
        if repeats.ndim:
            return [(pt.sum(repeats),)]
        total: Any = 1
        for length in shapes[0]:
            total = total * length
        return [(total * repeats,)]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Each element's gradient is the sum of the gradients of its copies."""
        (x, repeats), (g,) = inputs, cotangents
        if repeats.ndim == 0:
            place = x.ndim if self.axis is None else self.axis % x.ndim + 1
            lengths = [x.shape[i] for i in range(x.ndim)]
            lengths.insert(place, repeats)
            return [g.reshape(lengths, ndim=x.ndim + 1).sum(axis=place), disconnected_type()]
        line = pt.flatten(x) if self.axis is None else x
        axis = 0 if self.axis is None else self.axis % x.ndim
        sources = RepeatOp(0)(pt.arange(line.shape[axis]), repeats)
        front = [axis, *(i for i in range(line.ndim) if i != axis)]
        back = [front.index(i) for i in range(line.ndim)]
        summed = pt.inc_subtensor(pt.zeros_like(line.dimshuffle(*front))[sources], g.dimshuffle(*front)).dimshuffle(*back)
        return [summed.reshape(x.shape, ndim=x.ndim), disconnected_type()]


class Unique(LegacyOp):
    """`numpy.unique`: the sorted distinct elements (or slices along `axis`), with their indices, inverse and counts if requested.

    The inverse is a vector, whatever the rank of the input.
    """

    __props__ = ("return_index", "return_inverse", "return_counts", "axis")

    def __init__(self, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: Any = None) -> None:
        self.return_index = return_index
        self.return_inverse = return_inverse
        self.return_counts = return_counts
        self.axis = axis

    def _place(self, ndim: int) -> int:
        place: int = self.axis + ndim if self.axis < 0 else self.axis
        if not 0 <= place < ndim:
            raise RuntimeError(f"Unique axis `{self.axis}` is outside of input ndim = {ndim}.")
        return place

    def make_node(self, x: Any) -> Apply:
        """Makes the Apply node for the tensor `x`. Raises RuntimeError if it lacks the Op's axis. Further outputs are int64 vectors."""
        x = pt.as_tensor_variable(x)
        flags = [False] if self.axis is None else [flag and i != self._place(x.ndim) for i, flag in enumerate(x.type.broadcastable)]
        more = sum(map(bool, (self.return_index, self.return_inverse, self.return_counts)))
        return Apply(self, [x], [TensorType(x.dtype, flags)(), *(TensorType("int64", [False])() for _ in range(more))])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.unique."""
        function: Any = np.unique
        returned = function(inputs[0], self.return_index, self.return_inverse, self.return_counts, axis=self.axis)
        results = list(returned) if isinstance(returned, tuple) else [returned]
        for i, (storage, result) in enumerate(zip(output_storage, results)):
            storage[0] = np.asarray(result, dtype=node.outputs[i].dtype).reshape(-1) if i else result

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Exact for the inverse and for the axes other than `axis`; other lengths are read from the computed outputs."""
        lengths = [tuple(Shape_i(axis)(output) for axis in range(output.type.ndim)) for output in node.outputs]
        if self.axis is not None:
            own = self._place(len(shapes[0]))
            lengths[0] = tuple(lengths[0][i] if i == own else length for i, length in enumerate(shapes[0]))
        if self.return_inverse:
            total: Any = 1
            for length in shapes[0] if self.axis is None else [shapes[0][self._place(len(shapes[0]))]]:
                total = total * length
            lengths[2 if self.return_index else 1] = (total,)
        return lengths


class PermuteRowElements(metaclass=OpInstanceCheck):
    """Permutes each row of `x` by the same row of indices in `y`, or undoes that permutation where `inverse` is not 0."""

    op = pt.basic.PermuteRowElements

    def __call__(self, x: Any, y: Any, inverse: Any = False) -> Any:
        try:
            return self.op(inverse=bool(pt.get_underlying_scalar_constant_value(inverse)))(x, y)
        except NotScalarConstantError:
            return pt.switch(inverse, self.op(inverse=True)(x, y), self.op(inverse=False)(x, y))

    def make_node(self, x: Any, y: Any, inverse: Any = False) -> Any:
        """Returns the node that computes the permuted `x`; a Switch between both permutations if `inverse` is not constant."""
        return self(x, y, inverse).owner


def permute_row_elements(x: Any, y: Any, inverse: Any = 0) -> Any:
    """`theano.tensor.permute_row_elements`: see PermuteRowElements."""
    return PermuteRowElements()(x, y, inverse)


class Raise(LegacyOp):
    """Op with one input and one output; raises `exc(msg)` when it runs."""

    __props__ = ("msg", "exc")

    def __init__(self, msg: str = "", exc: Type[BaseException] = NotImplementedError) -> None:
        self.msg = msg
        self.exc = exc

    def __str__(self) -> str:
        return "Raise{%s(%s)}" % (self.exc, self.msg)

    def make_node(self, x: Any) -> Apply:
        """Makes the Apply node, whose output has the type of the input."""
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: Sequence[Any], out_storage: Any) -> None:
        """Raises `exc(msg)`."""
        raise self.exc(self.msg)

    def pullback(self, inputs: Sequence[Any], outputs: Any, cotangents: Any) -> Any:
        """Returns disconnected gradients."""
        from pytensor.gradient import DisconnectedType

        return [DisconnectedType()() for _ in inputs]

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the input."""
        return shapes

    def connection_pattern(self, node: Apply) -> Any:
        """Returns that the output does not depend on the input."""
        return [[False]]
