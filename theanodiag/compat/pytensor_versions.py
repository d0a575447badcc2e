"""Differences between PyTensor's releases since 3.0, as functions, so that other files need not check the release."""

from typing import Any, Tuple

import pytensor

RELEASE: Tuple[int, ...] = tuple(int(part) for part in str(pytensor.__version__).split(".")[:3] if part.isdigit())
"""The installed release as integers, such as (3, 0, 7)."""


def at_least(*release: int) -> bool:
    """Returns whether the installed PyTensor is `release` or newer."""
    return RELEASE >= release


def clone_replace(*args: Any, **kwargs: Any) -> Any:
    """`pytensor.graph.replace.clone_replace`, imported at the call."""
    from pytensor.graph.replace import clone_replace as function

    return function(*args, **kwargs)


def graph_inputs(*args: Any, **kwargs: Any) -> Any:
    """`pytensor.graph.traversal.graph_inputs`, imported at the call: the Variables without an owner on which others depend."""
    from pytensor.graph.traversal import graph_inputs as function

    return function(*args, **kwargs)


def shared_not_given(inputs: Any, outputs: Any) -> Any:
    """Returns the shared variables on which `outputs` depend and that `inputs` lacks: an OpFromGraph needs them since 3.3. [] before."""
    from pytensor.compile.sharedvalue import SharedVariable

    if not at_least(3, 3):
        return []
    return [v for v in graph_inputs(outputs, inputs) if isinstance(v, SharedVariable) and v not in inputs]


def _functions_of_one_vector(subtensor: Any) -> Tuple[Any, Any]:
    """Replacements of the two classes for a PyTensor that has functions instead; `isinstance` is true for the Ops of these functions'
    nodes."""

    class Kind(type):
        op: Any = None

        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, cls.op)

    class AdvancedSubtensor1(metaclass=Kind):
        """`x[ilist]`."""

        op = subtensor.AdvancedSubtensor

        def __init__(self, sparse_grad: bool = False) -> None:
            self.sparse_grad = sparse_grad

        def __call__(self, x: Any, ilist: Any) -> Any:
            return subtensor.advanced_subtensor1(x, ilist)

    class AdvancedIncSubtensor1(metaclass=Kind):
        """`x` with `y` added to `x[ilist]`, or stored there."""

        op = subtensor.AdvancedIncSubtensor

        def __init__(self, inplace: bool = False, set_instead_of_inc: bool = False) -> None:
            self.set_instead_of_inc = set_instead_of_inc

        def __call__(self, x: Any, y: Any, ilist: Any) -> Any:
            return (subtensor.advanced_set_subtensor1 if self.set_instead_of_inc else subtensor.advanced_inc_subtensor1)(x, y, ilist)

    return AdvancedSubtensor1, AdvancedIncSubtensor1


def vector_index_ops() -> Tuple[Any, Any]:
    """Returns (AdvancedSubtensor1, AdvancedIncSubtensor1): PyTensor's classes, or replacements for 3.3 and later, which has functions
    instead.
    """
    from pytensor.tensor import subtensor

    if hasattr(subtensor, "AdvancedSubtensor1"):
        return subtensor.AdvancedSubtensor1, subtensor.AdvancedIncSubtensor1
    return _functions_of_one_vector(subtensor)


_SPARSE = {
    "MulSS": ("SparseSparseMultiply", "MultiplySparseSparse"),
    "MulSD": ("SparseDenseMultiply", "MultiplySparseDense"),
    "MulSV": ("SparseDenseVectorMultiply", "MultiplySparseDenseVector"),
    "AddSSData": ("AddSSData", "AddSparseSparseData"),
    "StructuredAddSV": ("StructuredAddSV", "StructuredAddSparseDenseVector"),
    "StructuredAddSVCSR": ("StructuredAddSVCSR", "StructuredAddSparseDenseVectorCSR"),
    "AddSD_ccode": ("AddSD_ccode", "AddSparseDenseC"),
    "SpSum": ("SpSum",),
}


def sparse_names(name: str) -> Tuple[str, ...]:
    """Returns `name`, a class of theano.sparse, and its other spellings in PyTensor, such as `AddSparseSparse` (since 3.3) for `AddSS`."""
    longer = name[:-2] + {"SS": "SparseSparse", "SD": "SparseDense"}.get(name[-2:], "")
    return (name, *_SPARSE.get(name, (longer,)))


def axis_is_input(op: Any) -> bool:
    """Returns whether the axis of the Op class `op` (Join, SortOp) is an input of its node, as before 3.3, instead of a constructor
    argument.
    """
    return "axis" not in vars(op).get("__props__", ())


def infer_shape(op: Any, node: Any, shapes: Any) -> Any:
    """Calls `op.infer_shape` with the graph as first argument up to PyTensor 3.2, and without it later."""
    import inspect

    parameters = inspect.signature(op.infer_shape).parameters.values()
    # PyTensor 3.3 wraps an infer_shape of three arguments in one that requires two and has a third with a default.
    takes = 3 if any(p.kind is p.VAR_POSITIONAL for p in parameters) else sum(p.default is p.empty for p in parameters)
    return op.infer_shape(None, node, shapes) if takes == 3 else op.infer_shape(node, shapes)
