"""Shape rules of the most frequent Ops in live graphs: the same results as the framework's `infer_shape`, without building a graph."""

from .dimensions import Bound, NoShape, agreed, joint, remaining_dim, total
from .state import is_a
from .values import index_entries, length_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from .state import LiveState

    Shapes = list[tuple[Live, ...] | None]
    Rule = Callable[[Live, LiveState], Shapes]


def like(position: int) -> "Rule":
    """Makes the shape rule of an Op whose outputs have the shape of the input at `position`."""

    def rule(node: "Live", state: "LiveState") -> "Shapes":
        return [state.shape(node.inputs[position]) for _ in node.outputs]

    return rule


def elemwise(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shapes of Elemwise: the inputs' shapes broadcast together; dimensions that a type declares broadcastable do not
    count.
    """
    shapes = [state.shape(v) for v in node.inputs]
    if len(shapes) == 1:
        return [shapes[0]] * len(node.outputs)
    ndim = len(shapes[0])
    fixed = [getattr(v.type, "broadcastable", (False,) * ndim) for v in node.inputs]
    dims = tuple(joint([s[i] for s, b in zip(shapes, fixed) if not b[i]]) for i in range(ndim))
    return [dims] * len(node.outputs)


def dim_shuffle(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of DimShuffle, which permutes, drops and adds dimensions."""
    shape = state.shape(node.inputs[0])
    return [tuple(1 if d == "x" else shape[d] for d in node.op.new_order)]


def axes_of(axis: "Live", ndim: int) -> "tuple[int, ...]":
    """Returns the axes that a reduction of `ndim` dimensions drops: all if `axis` is None."""
    axes = (axis,) if isinstance(axis, int) else axis
    return tuple(range(ndim)) if axes is None else tuple(int(a) % ndim for a in axes)


def reduction(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of a reduction: the input's shape without the reduced axes."""
    shape = state.shape(node.inputs[0])
    mask = getattr(node.op, "reduce_mask", None)  # GpuCAReduceCuda: theano/gpuarray/elemwise.py
    axes = axes_of(node.op.axis, len(shape)) if mask is None else [i for i, m in enumerate(mask) if m]
    return [tuple(d for i, d in enumerate(shape) if i not in axes)] * len(node.outputs)


def dot22(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of Dot22: (rows of the first input, columns of the second)."""
    return [(state.shape(node.inputs[0])[0], state.shape(node.inputs[1])[1])]


def batched_dot(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of BatchedDot: a matrix product for each entry of the first dimension."""
    a, b = state.shape(node.inputs[0]), state.shape(node.inputs[1])
    return [(agreed([a[0], b[0]]),) + a[1:-1] + b[2:]]


def filled(*sources: "tuple[int, int]") -> "Rule":
    """Makes the shape rule of an array plus a product: the array's shape; an unknown dimension is that of a factor, given as (input,
    dimension).
    """

    def rule(node: "Live", state: "LiveState") -> "Shapes":
        shape = state.shape(node.inputs[0])
        return [tuple(state.shape(node.inputs[i])[k] if d is None else d for d, (i, k) in zip(shape, sources))]

    return rule


def dot(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of Dot of vectors and matrices."""
    a, b = state.shape(node.inputs[0]), state.shape(node.inputs[1])
    return [a[:-1] + (b[:-2] + b[-1:] if len(b) > 1 else ())]


def subtensor(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of Subtensor: lengths of the slices, then the dimensions that are not indexed; a slice with an unknown end
    has a Bound.
    """
    shape = state.shape(node.inputs[0])
    entries = index_entries(node, state, 1)
    dims = [length_of(d, e) for d, e in zip(shape, entries) if isinstance(e, list)]
    return [tuple(dims) + shape[len(entries) :]]


def alloc(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of Alloc of (value, *shape) and of AllocEmpty of (*shape): the shape given as inputs."""
    dims = node.inputs if is_a(node.op, ("AllocEmpty", "GpuAllocEmpty")) else node.inputs[1:]
    return [tuple(state.dim(v) for v in dims)]


def reshape(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of Reshape of (array, shape): the second input's value; -1 in it stands for the length that is left."""
    dims = wanted_dims(node.inputs[1], state)
    if dims is None:
        raise NoShape("%s to a shape that is computed from data" % type(node.op).__name__)
    if -1 in dims:
        dims[dims.index(-1)] = remaining_dim(state.shape(node.inputs[0]), [d for d in dims if d != -1])
    return [tuple(dims)]


def wanted_dims(variable: "Live", state: "LiveState") -> "list[Live] | None":
    """Returns the dimensions that a shape vector holds, known as a whole or, if a MakeVector made it, entry by entry; None if unknown."""
    value = state.value(variable)
    if value is not None:
        return [Bound(d) if variable in state.tainted and d != -1 else int(d) for d in value]
    owner = variable.owner
    return [state.dim(v) for v in owner.inputs] if owner is not None and is_a(owner.op, ("MakeVector",)) else None


def shape_length(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of the Op Shape: a vector with one entry for each dimension of the input."""
    return [(len(state.shape(node.inputs[0])),)]


def make_vector(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of MakeVector: a vector with one element for each input."""
    return [(len(node.inputs),)]


def rows_by_number(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of AdvancedSubtensor1 of (array, row numbers): the shape of the row numbers, then the array's further
    dimensions.
    """
    return [state.shape(node.inputs[1]) + state.shape(node.inputs[0])[1:]]


def join(node: "Live", state: "LiveState") -> "Shapes":
    """Returns the output shape of Join along an axis, which is the first input or (PyTensor 3) a parameter: lengths add up along it, others
    must agree.
    """
    fixed = getattr(node.op, "axis", None)
    arrays = node.inputs if fixed is not None else node.inputs[1:]
    axis = state.dim(node.inputs[0]) if fixed is None else int(fixed)
    shapes = [state.shape(v) for v in arrays]
    if axis is None:
        raise NoShape("Join along an axis that is not known")
    axis %= len(shapes[0])
    return [tuple(total(column) if i == axis else agreed(column) for i, column in enumerate(zip(*shapes)))]


BY_NAME = {
    "Elemwise": elemwise,
    "DimShuffle": dim_shuffle,
    "CAReduce": reduction,
    "CAReduceCuda": reduction,
    "CAReduceCPY": reduction,
    "MaxAndArgmax": reduction,
    "Argmax": reduction,
    "Dot22": dot22,
    "Dot22Scalar": dot22,
    "Dot": dot,
    "Gemm": filled((2, 0), (3, 1)),
    "Gemv": filled((2, 0)),
    "CGemv": filled((2, 0)),
    "Ger": filled((2, 0), (3, 0)),
    "CGer": filled((2, 0), (3, 0)),
    "ScipyGer": filled((2, 0), (3, 0)),
    "BatchedDot": batched_dot,
    "GemmBatch": like(0),
    "Subtensor": subtensor,
    "IncSubtensor": like(0),
    "AdvancedIncSubtensor1": like(0),
    "AdvancedIncSubtensor": like(0),
    "AdvancedBooleanIncSubtensor": like(0),
    "AdvancedSubtensor1": rows_by_number,
    "Alloc": alloc,
    "AllocEmpty": alloc,
    "Reshape": reshape,
    "Shape": shape_length,
    "MakeVector": make_vector,
    "JAXShapeTuple": make_vector,
    "Join": join,
}  # type: dict[str, Rule]
"""Class name of an Op, without `Gpu` -> its shape rule."""
BY_NAME.update(
    (name, like(0))
    for name in (
        "HostFromGpu", "FromHost", "ToGpu", "Contiguous", "CpuContiguous", "Rebroadcast", "Unbroadcast", "ViewOp", "DeepCopyOp",
        "CheckAndRaise", "Assert", "OutputGuard", "Print", "Softmax", "LogSoftmax", "SoftmaxGrad", "TransferOp",
        "TensorFromXTensor", "XTensorFromTensor", "Rename",
    )
)  # fmt: skip
