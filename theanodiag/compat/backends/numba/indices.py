"""Makes an index out of range raise IndexError in numba, which without bounds checks reads and writes arbitrary memory.

PyTensor lets numba check single indices but not lists of them. Lists are also used inside fused elementwise loops (FusedElemwise), so each
list is checked in the graph, before such loops are created.
"""

from typing import Any

import numba
import numpy
from pytensor.compile.mode import optdb
from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.graph.op import Op
from pytensor.graph.rewriting.basic import dfs_rewriter, node_rewriter
from pytensor.link.numba.dispatch.basic import register_funcify_and_cache_key
from pytensor.tensor import subtensor
from pytensor.tensor.type import TensorType

from .random import cache_key

_KINDS = ("AdvancedSubtensor", "AdvancedSubtensor1", "AdvancedIncSubtensor", "AdvancedIncSubtensor1")
KINDS = tuple(getattr(subtensor, name) for name in _KINDS if hasattr(subtensor, name))  # PyTensor 3.3 has one class for both


class CheckedIndex(Op):
    """Returns its first input, an array of integers, if each is a valid index along `axis` of the second input; else raises IndexError."""

    __props__ = ("axis",)
    view_map = {0: [0]}

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def make_node(self, index: Any, x: Any) -> Any:
        """Returns the node that checks the integers `index`, of any shape, against the tensor `x`."""
        return Apply(self, [index, x], [index.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        """Checks and returns the integers."""
        index, x = inputs
        numpy.empty(x.shape[self.axis])[index]
        output_storage[0][0] = index

    def infer_shape(self, fgraph: Any, node: Any, shapes: Any) -> Any:
        """Returns the shape of the integers."""
        return [shapes[0]]


@register_funcify_and_cache_key(CheckedIndex)
def _checked_index(op: Any, node: Any, **kwargs: Any) -> Any:
    axis = op.axis

    @numba.njit
    def checked_index(index: Any, x: Any) -> Any:
        length = x.shape[axis]
        for place in index.flat:
            if place < -length or place >= length:
                raise IndexError("index is out of bounds")
        return index

    return checked_index, cache_key("checked index", axis, 1)


def _fits(index: Any, length: Any) -> bool:
    """Whether a constant index is known to be in range of a known length."""
    return length is not None and isinstance(index, Constant) and not ((index.data < -length) | (index.data >= length)).any()


@node_rewriter(list(KINDS))
def check_indices(fgraph: Any, node: Any) -> Any:
    """Replaces each list of integers in an indexing node by a checked one."""
    x, first = node.inputs[0], 1 + ("Inc" in type(node.op).__name__)
    inputs, axis = list(node.inputs), 0
    for index in subtensor.indices_from_subtensor(list(range(first, len(inputs))), node.op.idx_list):
        variable = inputs[index] if isinstance(index, int) else None
        if isinstance(variable, Variable) and isinstance(variable.type, TensorType):
            if variable.type.dtype == "bool":  # a mask, of which each axis belongs to one of `x`
                axis += variable.type.ndim
                continue
            if not _fits(variable, x.type.shape[axis]) and not isinstance(getattr(variable.owner, "op", None), CheckedIndex):
                inputs[index] = CheckedIndex(axis)(variable, x)
        axis += 1
    return None if inputs == list(node.inputs) else node.op.make_node(*inputs).outputs


# before loops are fused (49) and written in place (70)
optdb.register("check_indices", dfs_rewriter(check_indices), "numba", position=48.5)
