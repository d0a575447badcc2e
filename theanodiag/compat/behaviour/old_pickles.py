"""Graphs that Theano pickled: nodes whose Op has other inputs or attributes in PyTensor are made again when they are unpickled."""

from typing import Any, Callable, Dict, Tuple

from pytensor.compile.builders import OpFromGraph
from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.graph.op import Op
from pytensor.tensor.basic import Join, Nonzero, join, nonzero, stack
from pytensor.tensor.elemwise import CAReduce
from pytensor.tensor.subtensor import AdvancedIncSubtensor, AdvancedSubtensor, inc_subtensor, set_subtensor
from pytensor.tensor.type_other import MakeSlice, NoneTypeT, SliceType


def _entry(variable: Any) -> Any:
    """One entry of an index: Theano's node has slices and None as inputs."""
    if isinstance(variable.type, NoneTypeT):
        return None
    if variable.owner is not None and isinstance(variable.owner.op, MakeSlice):
        return slice(*map(_entry, variable.owner.inputs))
    return variable.data if isinstance(variable.type, SliceType) and isinstance(variable, Constant) else variable


def _increased(op: Any, x: Any, y: Any, *index: Any) -> Any:
    change = set_subtensor if op.set_instead_of_inc else inc_subtensor
    return change(x[tuple(map(_entry, index))], y)


def _of_graph(op: Any, *inputs: Any) -> Any:
    from ..api.compile.builders import OpFromGraph as WithShared

    state = vars(op)
    return WithShared(state["local_inputs"], state["local_outputs"], inline=state["is_inline"])(*inputs)


def _lacks(name: str) -> Callable[[Any], bool]:
    return lambda op: not hasattr(op, name)


AGAIN: Dict[Any, Tuple[Callable[[Any], bool], Callable[..., Any]]] = {
    Join: (_lacks("axis"), lambda op, axis, *inputs: join(axis, *inputs)),
    AdvancedSubtensor: (_lacks("idx_list"), lambda op, x, *index: x[tuple(map(_entry, index))]),
    AdvancedIncSubtensor: (_lacks("idx_list"), _increased),
    OpFromGraph: (_lacks("fgraph"), _of_graph),
}
"""Class of an Op -> (whether Theano pickled it, function of the Op and the node's inputs that gives the result)."""


def _again(op: Any, inputs: Any) -> Any:
    """The node that computes what Theano's node of `op` and `inputs` did; None if the Op is PyTensor's own."""
    if not issubclass(type(op), Op):  # a class of this layer that stands for several Ops
        made = op(*inputs)
    else:
        found = [function for kind, (old, function) in AGAIN.items() if issubclass(type(op), kind) and old(op)]
        if not found:
            return None
        made = found[0](op, *inputs)
    return (made[0] if isinstance(made, (list, tuple)) else made).owner


def _set_state(self: Any, state: Any) -> None:
    node = _again(state["op"], state["inputs"])
    self.__dict__.update(state)
    if node is not None and len(node.outputs) == len(state["outputs"]):
        self.op, self.inputs = node.op, node.inputs


def _set_state_of_variable(self: Any, state: Any) -> None:
    self.__dict__.update(state)
    node = state.get("owner")
    if isinstance(getattr(node, "op", None), Nonzero) and self.type.ndim == 2:  # Theano's: one matrix instead of vectors
        made = stack(nonzero(node.inputs[0])).owner
        node.op, node.inputs = made.op, made.inputs


def apply(origin: str) -> None:
    """Makes Apply and Variable accept Theano's pickled state."""
    Apply.__setstate__ = _set_state
    Variable.__setstate__ = _set_state_of_variable
    CAReduce.dtype = CAReduce.acc_dtype = None  # All and Any had none
