"""Propagates small values through a live graph: shape arithmetic, computed node by node in Python, never the model itself."""

from .dimensions import Bound, sliced
from .state import MAX_VALUES, has_shape, is_a, is_followed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from .state import LiveState

MONOTONE = ("Add", "Mul", "Maximum", "Minimum", "Cast", "Identity", "Second")
"""Scalar Ops that, for numbers >= 0, do not decrease when an argument grows: upper bounds of arguments give an upper bound of the
result.
"""

SAME = (
    "ScalarFromTensor", "TensorFromScalar", "HostFromGpu", "GpuFromHost", "GpuToGpu", "GpuContiguous", "Rebroadcast", "Unbroadcast",
    "SpecifyShape", "ViewOp", "DeepCopyOp", "CheckAndRaise", "Assert", "OutputGuard", "Print", "TransferOp",
    "TensorFromXTensor", "XTensorFromTensor", "Rename",
)  # fmt: skip
"""Ops whose output equals their first input."""


def follow(node: "Live", state: "LiveState") -> None:
    """Records the values of a node's outputs if they follow from known values."""
    values = value_of_node(node, state)
    if values is None:
        return
    doubtful = any(v in state.tainted for v in node.inputs) or bound_read(node, state)
    if doubtful and not monotone(node, state):
        return
    for variable, value in zip(node.outputs, values):
        if value is None or value.size > MAX_VALUES:
            continue
        dtype = getattr(variable.type, "dtype", None)
        value = value if dtype is None or value.dtype == dtype else value.astype(dtype)
        if is_followed(value):
            state.values[variable] = value
            if doubtful:
                state.tainted.add(variable)


def value_of_node(node: "Live", state: "LiveState") -> "list[Live] | None":
    """Returns the values of the node's outputs, computed from known inputs; None if an input is unknown or the computation would be
    expensive.
    """
    handler = handler_of(node.op)
    if handler is None:
        return None
    try:
        return handler(node, state)
    except (ArithmeticError, AttributeError, LookupError, NotImplementedError, TypeError, ValueError):
        return None


def why_unvalued(variable: "Live", state: "LiveState") -> str:
    """Returns why the shape of `variable` is unknown: names the input, or the data-dependent Op, on whose value it depends."""
    here = variable
    while here.owner is not None and (here is variable or handler_of(here.owner.op) is not None):
        unknown = [v for v in here.owner.inputs if has_shape(v.type) and state.value(v) is None and v is not here.owner.inputs[0]]
        unknown = unknown or [v for v in here.owner.inputs[:1] if state.value(v) is None]
        if not unknown:
            break
        here = unknown[-1]
    what = "the value of %s" % (here.name or "an input") if here.owner is None else "what %s computes" % type(here.owner.op).__name__
    return "the shape of what %s makes depends on %s" % (type(variable.owner.op).__name__, what)


def bound_read(node: "Live", state: "LiveState") -> bool:
    """Returns whether a node reads the value of a dimension that is only a Bound."""
    if not is_a(node.op, ("Shape", "Shape_i")):
        return False
    return any(isinstance(d, Bound) for d in state.shape(node.inputs[0]))


def monotone(node: "Live", state: "LiveState") -> bool:
    """Returns whether upper bounds of a node's inputs give an upper bound of its output."""
    scalar = getattr(node.op, "scalar_op", node.op if hasattr(node.op, "impl") else None)
    if scalar is None:
        return not is_a(node.op, ("CAReduce", "IfElse", "ARange"))
    if not rises(scalar) or not multiplies(scalar):
        return rises(scalar)
    return all(bool((v >= 0).all()) for v in known_inputs(node, state)) and not has_negative(scalar)  # a negative factor reverses it


def known_inputs(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the values of those inputs of a node that are known."""
    return [value for value in (state.value(v) for v in node.inputs) if value is not None]


def parts(scalar: "Live") -> "list[str]":
    """Returns the names of the scalar Ops in `scalar`, including those inside a Composite, without PyTensor's prefix `Scalar`."""
    graph = getattr(scalar, "fgraph", None)
    if graph is None:
        return [type(scalar).__name__.replace("Scalar", "")]
    return [name for node in graph.apply_nodes for name in parts(node.op)]


def rises(scalar: "Live") -> bool:
    """Returns whether the result of a scalar Op never decreases when an argument grows, for arguments >= 0."""
    return all(name in MONOTONE for name in parts(scalar))


def has_negative(scalar: "Live") -> bool:
    """Returns whether a Composite contains a negative constant."""
    graph = getattr(scalar, "fgraph", None)
    if graph is None:
        return False
    constants = [getattr(v, "data", None) for node in graph.apply_nodes for v in node.inputs if v.owner is None]
    return any(c is not None and c < 0 for c in constants) or any(has_negative(node.op) for node in graph.apply_nodes)


def multiplies(scalar: "Live") -> bool:
    """Returns whether a scalar expression contains a product. With a negative factor, a product would turn an upper bound into a
    lower one.
    """
    return "Mul" in parts(scalar)


def arguments(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the values of all inputs of a node. Raises ValueError if one is unknown."""
    values = [state.value(v) for v in node.inputs]
    if any(v is None for v in values):
        raise ValueError("unknown")
    return values


_HANDLERS = {}  # type: dict[type, Callable[[Live, LiveState], list[Live]] | None]


def handler_of(op: "Live") -> "Callable[[Live, LiveState], list[Live]] | None":
    """Returns the function that computes values for Ops of this class, found by the names of the class and its base classes; None if there
    is none.
    """
    kind = type(op)
    if kind not in _HANDLERS:
        names = [c.__name__[3:] if c.__name__.startswith("Gpu") and c.__name__ not in SAME else c.__name__ for c in kind.__mro__]
        handler = next((BY_NAME[n] for n in names if n in BY_NAME), None)
        _HANDLERS[kind] = scalars if handler is None and hasattr(op, "impl") and is_a(op, ("ScalarOp",)) else handler
    return _HANDLERS[kind]


def same(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the values of an Op whose output equals its first input: that input's value."""
    return [state.value(node.inputs[0])]


def branch(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the values of IfElse: those of the selected branch; if the condition is unknown, values on which both branches agree."""
    condition, half = state.value(node.inputs[0]), len(node.outputs)
    then, other = [[state.value(v) for v in part] for part in (node.inputs[1 : 1 + half], node.inputs[1 + half :])]
    if condition is not None:
        return then if condition.any() else other
    return [a if a is not None and b is not None and a.tolist() == b.tolist() else None for a, b in zip(then, other)]


def shape_vector(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the value of the Op Shape: the input's whole shape."""
    import numpy

    shape = state.shape(node.inputs[0])
    return [None if None in shape else numpy.array([int(d) for d in shape], dtype="int64")]


def shape_entry(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the value of the Op Shape_i: one dimension of the input."""
    import numpy

    dim = state.shape(node.inputs[0])[int(node.op.i)]
    return [None if dim is None else numpy.array(int(dim), dtype="int64")]


def make_vector(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the value of MakeVector: a vector of the scalar inputs."""
    import numpy

    return [numpy.array([v.reshape(()) for v in arguments(node, state)], dtype=node.outputs[0].type.dtype).reshape(len(node.inputs))]


def elementwise(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the values of Elemwise: the scalar Op applied to each element."""
    import numpy

    values = numpy.broadcast_arrays(*arguments(node, state)) if len(node.inputs) > 1 else arguments(node, state)
    if values[0].size > MAX_VALUES:
        raise ValueError("large")
    rows = [scalar_results(node.op.scalar_op, [v[()] for v in entry]) for entry in zip(*[v.ravel() for v in values])]
    arrays = []
    for i, variable in enumerate(node.outputs):
        arrays.append(numpy.array([row[i] for row in rows], dtype=variable.type.dtype).reshape(values[0].shape))
    return arrays


def scalars(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the values of a scalar Op that is not inside an Elemwise."""
    import numpy

    results = scalar_results(node.op, [v[()] for v in arguments(node, state)])
    return [numpy.asarray(r, dtype=v.type.dtype) for r, v in zip(results, node.outputs)]


def scalar_results(op: "Live", values: "list[Live]") -> "list[Live]":
    """Returns the results of a scalar Op for these numbers; a Composite is evaluated by its own graph."""
    graph = getattr(op, "fgraph", None)
    if graph is None:
        results = op.impl(*values)
        return list(results) if isinstance(results, (list, tuple)) else [results]
    known = dict(zip(graph.inputs, values))
    for inner in graph.toposort():
        results = scalar_results(inner.op, [known[v] if v in known else v.data for v in inner.inputs])
        for variable, result in zip(inner.outputs, results):
            known[variable] = cast(result, variable.type.dtype)
    return [known[v] if v in known else v.data for v in graph.outputs]


def cast(value: "Live", dtype: str) -> "Live":
    """Converts a number to `dtype`."""
    import numpy

    return numpy.asarray(value).astype(dtype)[()]


def subtensor(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the value of Subtensor of a small array: the selected elements."""
    return [state.value(node.inputs[0])[index_of(node, state, 1)]]


def set_subtensor(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the value of IncSubtensor and SetSubtensor of a small array."""
    value, update = state.value(node.inputs[0]).copy(), state.value(node.inputs[1])
    index = index_of(node, state, 2)
    value[index] = update if node.op.set_instead_of_inc else value[index] + update
    return [value]


def index_of(node: "Live", state: "LiveState", first: int) -> "tuple[Live, ...]":
    """Converts the index of a Subtensor to numpy's form. Raises ValueError if a part is unknown."""
    index = index_entries(node, state, first)
    if any(is_vague(e) if isinstance(e, list) else e is UNKNOWN for e in index):
        raise ValueError("unknown")
    return tuple(slice(*e) if isinstance(e, list) else e for e in index)


UNKNOWN = object()
"""Stands for an index whose value is unknown."""


def is_vague(entry: "list[Live]") -> bool:
    """Returns whether a part of a slice [start, stop, step] is unknown."""
    return any(p is UNKNOWN for p in entry)


def length_of(dim: "Live", entry: "list[Live]") -> "Live":
    """Returns the length of a slice [start, stop, step] of a dimension."""
    return sliced(dim, entry[0], entry[1], entry[2], is_vague(entry))


def index_entries(node: "Live", state: "LiveState", first: int) -> "list[Live]":
    """Returns the entries of a Subtensor's index pattern: an index, or [start, stop, step], for each; `first` is the position of the first
    index among the inputs.
    """
    pending = iter(node.inputs[first:])

    def entry(value: "Live") -> "Live":
        if value is None or (isinstance(value, int) and not numbered):
            return value
        variable = node.inputs[first + value] if isinstance(value, int) else next(pending)
        dim = state.dim(variable)
        return UNKNOWN if dim is None or isinstance(dim, Bound) else dim

    numbered = not any(hasattr(p, "dtype") for e in node.op.idx_list for p in ((e.start, e.stop, e.step) if isinstance(e, slice) else (e,)))
    return [[entry(e.start), entry(e.stop), entry(e.step)] if isinstance(e, slice) else entry(e) for e in node.op.idx_list]


def take(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the value of AdvancedSubtensor1: elements (or rows) by number."""
    value, rows = arguments(node, state)
    return [value[rows]]


def dim_shuffle(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the value of DimShuffle of a small array."""
    value, order = arguments(node, state)[0], node.op.new_order
    kept = [d for d in order if d != "x"]
    moved = value.reshape([value.shape[d] for d in sorted(kept)]).transpose([sorted(kept).index(d) for d in kept])
    dims = iter(moved.shape)
    return [moved.reshape([1 if d == "x" else next(dims) for d in order])]


def reshape(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the value of Reshape of a small array."""
    value, shape = arguments(node, state)[:2]
    return [value.reshape([int(d) for d in shape])]


def join(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the value of Join, whose axis is its first input or (PyTensor 3) a parameter."""
    import numpy

    values = arguments(node, state)
    fixed = getattr(node.op, "axis", None)
    axis, values = (int(values[0]), values[1:]) if fixed is None else (int(fixed), values)
    return [numpy.concatenate(values, axis=axis)]


def reduction(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the value of Sum, Prod, Max, Min, All or Any of a small array."""
    import numpy

    name = type(node.op.scalar_op).__name__
    functions = {"Add": "sum", "Mul": "prod", "Maximum": "max", "Minimum": "min", "AND": "all", "OR": "any"}
    # the scalar classes: theano/scalar/basic.py; PyTensor renamed Maximum and Minimum to ScalarMaximum and ScalarMinimum
    function = getattr(numpy, functions[name.replace("Scalar", "")])
    axis = node.op.axis
    axes = (axis,) if isinstance(axis, int) else axis
    return [numpy.asarray(function(arguments(node, state)[0], axis=None if axes is None else tuple(int(a) for a in axes)))]


def arange(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the value of ARange with few elements. Raises ValueError if there are many."""
    import numpy

    start, stop, step = [v.reshape(())[()] for v in arguments(node, state)[:3]]
    if abs((stop - start) / float(step)) > MAX_VALUES:
        raise ValueError("large")
    return [numpy.arange(start, stop, step, dtype=node.outputs[0].type.dtype)]


def alloc(node: "Live", state: "LiveState") -> "list[Live]":
    """Returns the value of Alloc with few elements."""
    import numpy

    values = arguments(node, state)
    shape = [int(v) for v in values[1:]]
    if numpy.prod(shape) > MAX_VALUES:
        raise ValueError("large")
    return [numpy.broadcast_to(values[0], shape).copy()]


BY_NAME = {
    "Shape": shape_vector,
    "Shape_i": shape_entry,
    "MakeVector": make_vector,
    "JAXShapeTuple": make_vector,
    "Elemwise": elementwise,
    "Subtensor": subtensor,
    "IncSubtensor": set_subtensor,
    "AdvancedSubtensor1": take,
    "DimShuffle": dim_shuffle,
    "Reshape": reshape,
    "Join": join,
    "CAReduce": reduction,
    "ARange": arange,
    "Alloc": alloc,
    "IfElse": branch,
}  # type: dict[str, Callable[[Live, LiveState], list[Live]]]
"""Class name of an Op, without `Gpu` -> function that computes its outputs' values."""
BY_NAME.update((name, same) for name in SAME)
