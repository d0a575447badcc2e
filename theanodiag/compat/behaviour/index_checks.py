"""Makes indices and shapes that do not fit raise errors, as in Theano: restricts rewrites of PyTensor that would silently use other
elements, or fail for a valid graph.

PyTensor 3 has rewrites, tagged `shape_unsafe`, that assume every graph to be valid. For an invalid one, some of them return elements that
the script never requested: `v[[0, 9]]` of three elements became `v[0:10:9]`, which is `[v[0]]`, `v[:2][2]` became `v[2]`, and `v +
zeros((n,))` became `v`, where Theano checked `n`. Here each applies only if it cannot hide an error. Other rewrites that omit a check are
unchanged, because Theano omitted it too.
"""

from functools import wraps
from typing import Any, Callable

from pytensor.compile.builders import infer_shape
from pytensor.graph.basic import Constant
from pytensor.graph.traversal import ancestors
from pytensor.scan.op import Scan
from pytensor.scan.rewriting import push_out
from pytensor.tensor.basic import Alloc
from pytensor.tensor.math import Dot, add
from pytensor.tensor.rewriting import basic, math, shape, subtensor, subtensor_lift
from pytensor.tensor.subtensor import Subtensor, indices_from_subtensor
from pytensor.tensor.type import lscalar


def _never(fgraph: Any, node: Any) -> bool:
    """Always False: a list of indices must stay a list, because a slice would be cut to the length of the array."""
    return False


def _whole_numbers(node: Any) -> Any:
    """Yields (axis, value, or None if it is not constant) for each index of a Subtensor that is a number."""
    for axis, entry in enumerate(indices_from_subtensor(node.inputs[1:], node.op.idx_list)):
        if not isinstance(entry, slice):
            yield axis, int(entry.data) if isinstance(entry, Constant) else None


def _rest_of_a_scan(fgraph: Any, node: Any) -> bool:
    """Whether the node takes an end of a Scan's output up to its first or last step: only then can the Scan keep a single step."""
    inner = node.inputs[0].owner
    if inner is None or not isinstance(inner.op, Subtensor):
        return False
    if inner.inputs[0].owner is None or not isinstance(inner.inputs[0].owner.op, Scan):
        return False
    slices = [i for i in indices_from_subtensor(inner.inputs[1:], inner.op.idx_list) if isinstance(i, slice)]
    return all(s.stop is None for s in slices) and all(value in (0, -1) for _, value in _whole_numbers(node))


def _added_axes_at_their_element(fgraph: Any, node: Any) -> bool:
    """Whether each axis that a DimShuffle added is indexed with 0 or -1, its only element."""
    added = getattr(getattr(node.inputs[0].owner, "op", None), "augment", ())
    return all(value in (0, -1) for axis, value in _whole_numbers(node) if axis in added)


def _lengths_known_to_fit(fgraph: Any, node: Any) -> bool:
    """Whether the two factors of a product are known to have the same inner length."""
    x, y = node.inputs
    length = x.type.shape[-1]
    return length is not None and length == y.type.shape[0 if y.type.ndim == 1 else -2]


def _each_length_is_the_input_s(fgraph: Any, node: Any) -> bool:
    """Whether a Reshape is known to request the lengths of its input, except one -1. Always true for one axis, which
    Theano did not check."""
    x, lengths = node.inputs
    if x.type.ndim < 2 or x.type.ndim != node.outputs[0].type.ndim or getattr(lengths.owner, "inputs", None) == [x]:  # x.reshape(x.shape)
        return True
    feature = getattr(fgraph, "shape_feature", None)
    return all(
        (isinstance(length, Constant) and length.data == -1) or shape._is_shape_i_of_x(length, x, axis, shape_feature=feature)
        for axis, length in enumerate(shape._unpack_shape_vector(lengths))
    )


def _inside_constant_lengths(fgraph: Any, node: Any) -> bool:
    """Whether no constant index of an Alloc is outside a length that is constant too."""
    maker = node.inputs[0].owner
    if maker is None or not isinstance(maker.op, Alloc):
        return True
    lengths = maker.inputs[1:]
    return all(
        value is None or not isinstance(lengths[axis], Constant) or -lengths[axis].data <= value < lengths[axis].data
        for axis, value in _whole_numbers(node)
    )


def _lengths_known_to_agree(fgraph: Any, node: Any) -> bool:
    """Whether each Alloc among the inputs is known to have the length of the others along each axis, or length 1 where `v + zeros((1,))`
    broadcasts."""
    feature = getattr(fgraph, "shape_feature", None)
    for axis in range(node.outputs[0].type.ndim):
        first, *others = [x for x in node.inputs if x.type.shape[axis] != 1] or [None]
        lengths = {x.type.shape[axis] for x in (first, *others) if x is not None}
        if None in lengths and not all(feature is not None and feature.same_shape(first, x, axis, axis) for x in others):
            return False
    return True


def _steps_of_one_shape(fgraph: Any, node: Any) -> bool:
    """Whether the factors of the products that a Scan sums up have the same lengths at each step.

    The rewrite stacks them. Rows of `x[:n]`, where n is the step's, do not fit; a single row would be repeated.
    """
    op = node.op
    # PyTensor 3.1 and later freeze inner graphs, of which `infer_shape` computes with copies.
    graph = op.fgraph.unfreeze() if hasattr(op.fgraph, "unfreeze") else op.fgraph
    sums = [v.owner for v in graph.outputs if v.owner is not None and v.owner.op == add]
    dots = [x.owner for n in sums for x in n.inputs if x.owner is not None and isinstance(x.owner.op, Dot)]
    if not dots:
        return True
    inner = list(graph.inputs)
    given = [tuple(lscalar() for _ in range(getattr(v.type, "ndim", 0))) for v in inner]
    of_steps = set(inner) - set(op.inner_non_seqs(inner))
    found = infer_shape([x for n in dots for x in n.inputs], inner, given)
    return of_steps.isdisjoint(ancestors([length for shape_of_one in found for length in shape_of_one or ()]))


CHECKS = (
    (subtensor, "local_adv_idx_to_slice", _never),
    (subtensor, "local_subtensor_merge_integer", _rest_of_a_scan),
    (subtensor_lift, "local_subtensor_of_expand_dims", _added_axes_at_their_element),
    (math, "local_0_dot_x", _lengths_known_to_fit),
    (shape, "local_useless_reshape", _each_length_is_the_input_s),
    (subtensor_lift, "local_subtensor_of_alloc", _inside_constant_lengths),
    (push_out, "scan_push_out_add", _steps_of_one_shape),
)
"""(module, name of a rewrite, function that decides whether it may apply to a node)."""
CHECKS_OF_RESULTS = (
    (basic, "local_elemwise_alloc", _lengths_known_to_agree),
    (math, "local_add_remove_zeros", _lengths_known_to_agree),
)
"""The same, asked only where the rewrite has something to replace: PyTensor rewrites a graph of lengths to compare two of them, which took
nearly all of the time to compile a net when it was done at each elementwise node."""


def _checked(plain: Callable[[Any, Any], Any], sound: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
    @wraps(plain)
    def rewrite(fgraph: Any, node: Any) -> Any:
        return plain(fgraph, node) if sound(fgraph, node) else None

    return rewrite


def _checked_result(plain: Callable[[Any, Any], Any], sound: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
    @wraps(plain)
    def rewrite(fgraph: Any, node: Any) -> Any:
        replacements = plain(fgraph, node)
        return replacements if replacements and sound(fgraph, node) else None

    return rewrite


def apply(origin: str) -> None:
    """Restricts the rewrites in both lists to cases in which they hide no error. Raises AttributeError if a release of PyTensor lacks one
    of them.
    """
    for restrict, checks in ((_checked, CHECKS), (_checked_result, CHECKS_OF_RESULTS)):
        for module, name, sound in checks:
            rewriter = getattr(module, name)
            rewriter.fn = restrict(rewriter.fn, sound)
