"""`join` along an axis known only at run time, which PyTensor rejects since 3.3, and its gradient."""

from typing import Any, List

import numpy as np
import pytensor.tensor as pt
from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.tensor.type import TensorType

from ..pytensor_versions import at_least
from .op import LegacyOp, is_connected, no_gradient, restored


class JoinAlong(LegacyOp):
    """Concatenates tensors of one rank along the axis that is the Op's first input."""

    __props__ = ()

    def make_node(self, axis: Any, *tensors: Any) -> Apply:
        """Node over an integer scalar and tensors; TypeError for another axis type or for tensors of different ranks."""
        axis, parts = pt.as_tensor_variable(axis), [pt.as_tensor_variable(x) for x in tensors]
        if axis.type.ndim or axis.type.dtype not in pt.type.integer_dtypes:
            raise TypeError("Axis needs to be an integer. Got %s" % axis.type)
        if len({x.type.ndim for x in parts}) > 1:
            raise TypeError("Only tensors with the same number of dimensions can be joined")
        dtype = np.result_type(*[x.type.dtype for x in parts]).name
        return Apply(self, [axis, *parts], [TensorType(dtype, (None,) * parts[0].type.ndim)()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.concatenate."""
        output_storage[0][0] = np.concatenate(inputs[1:], axis=int(inputs[0])).astype(node.outputs[0].type.dtype, copy=False)

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Along the axis the sum of all lengths, along every other axis the length of the first tensor."""
        axis, ndim = node.inputs[0], node.outputs[0].type.ndim
        wanted = pt.switch(pt.lt(axis, 0), axis + ndim, axis)
        return [tuple(pt.switch(pt.eq(wanted, i), sum(shape[i] for shape in shapes[1:]), shapes[1][i]) for i in range(ndim))]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Each tensor's part of the output's gradient, by SplitAlong; the axis has no gradient."""
        axis, *parts = inputs
        if not is_connected(cotangents[0]):
            return no_gradient(inputs)
        pieces = SplitAlong()(axis, cotangents[0], *parts)
        return [*no_gradient([axis]), *(restored(g, x) for g, x in zip(pieces if len(parts) > 1 else [pieces], parts))]

    def connection_pattern(self, node: Apply) -> List[List[bool]]:
        """Every tensor is connected to the output, the axis is not."""
        return [[False], *([[True]] * (len(node.inputs) - 1))]


class SplitAlong(LegacyOp):
    """(axis, joined, *parts) -> `joined` split along `axis` into pieces of the same lengths as `parts`, whose values are not used."""

    __props__ = ()

    def make_node(self, axis: Any, joined: Any, *parts: Any) -> Apply:
        """Node over the axis, the tensor to split, and one tensor for each output, which gives that output's length."""
        kind = TensorType(joined.type.dtype, (None,) * joined.type.ndim)
        return Apply(self, [axis, joined, *parts], [kind() for _ in parts])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.split; each output is a copy in C order."""
        axis, joined, parts = int(inputs[0]), inputs[1], inputs[2:]
        ends: Any = np.cumsum([part.shape[axis] for part in parts])[:-1]
        for storage, part in zip(output_storage, np.split(joined, ends, axis=axis)):
            storage[0] = np.ascontiguousarray(part)

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Shapes of the parts."""
        return list(shapes[2:])

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Gradient of the tensor that is split: the outputs' gradients joined, with zeros for disconnected ones."""
        axis, joined, *parts = inputs
        given = [g if is_connected(g) else out.zeros_like() for g, out in zip(cotangents, outputs)]
        return [*no_gradient([axis]), restored(JoinAlong()(axis, *given), joined), *no_gradient(parts)]

    def connection_pattern(self, node: Apply) -> List[List[bool]]:
        """Only the tensor that is split is connected to the outputs."""
        outputs = len(node.outputs)
        return [[False] * outputs, [True] * outputs, *([[False] * outputs] * outputs)]


def join(axis: Any, *tensors_list: Any) -> Any:
    """`theano.tensor.join`: concatenates tensors along `axis`, which may be a symbolic integer in every release of PyTensor."""
    if at_least(3, 3) and isinstance(axis, Variable) and not isinstance(axis, Constant):
        return JoinAlong()(axis, *tensors_list)
    return pt.join(axis, *tensors_list)


def concatenate(tensor_list: Any, axis: Any = 0) -> Any:
    """`theano.tensor.concatenate`: joins a tuple or list of tensors; TypeError for anything else."""
    if not isinstance(tensor_list, (tuple, list)):
        raise TypeError(
            "The 'tensors' argument must be either a tuple or a list, make sure you did not forget () or [] around arguments of "
            "concatenate.",
            tensor_list,
        )
    return join(axis, *tensor_list)
