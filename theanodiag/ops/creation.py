"""Ops that create, join, split, repeat or reshape arrays, and that ask for or fix their shapes.

Sources: Theano 1.0.5 tensor/basic.py, tensor/extra_ops.py, gpuarray/basic_ops.py; PyTensor 3.3.7 tensor/basic.py, tensor/shape.py.
"""

from __future__ import annotations

from math import ceil, prod

from ..agent.shapes.dimensions import (
    Bound,
    NoShape,
    agreed,
    lift,
    product,
    remaining_dim,
    total,
)
from ..ir import Apply, FunctionGraph, Type, Unknown
from ..ir.shape import Dim
from .arrays import Array, reshaped
from .dtypes import INDEX, Dtypes, TypeQuery, always, as_input, widest
from .memory_effects import Work, new_array
from .node import (
    MAX_ITEMS,
    KnownArray,
    Node,
    NoValue,
    Shapes,
    first_number,
    is_small,
    needed,
    only,
    reshaped_value,
    same,
    scalar,
    sized,
    typed_like,
)
from .parameters import numbered_parameter
from .scalars import Number
from .spec import OUT, Equal, GpuLowering, OpSpec, alike, out_rank


def alloc(node: Node) -> Shapes:
    """Returns the output shape of Alloc and BroadcastTo of (value, *shape) and of AllocEmpty of (*shape): the shape given as inputs."""
    first = 0 if node.op.name.endswith("AllocEmpty") else 1
    return [tuple(node.number(i) for i in range(first, node.n_inputs))]


def arange(node: Node) -> Shapes:
    """Returns the output shape of ARange of (start, stop, step): ceil((stop - start) / step) elements; a Bound if `stop` is one."""
    arrays = [node.array(i) for i in range(3)]
    start, stop, step = (f.items[0] if f is not None and len(f.items) == 1 else None for f in arrays)
    if start is None or stop is None or not step:
        return [(next((d for d in map(node.number, range(3)) if isinstance(d, Unknown)), Unknown("ARange with step 0")),)]
    length = range_length(start, stop, step)
    if length is None:
        return [(Unknown("the range of ARange is infinite"),)]
    if node.doubtful(0) or node.doubtful(2):
        return [(Unknown("the start or the step of ARange depends on data"),)]
    return [(Bound(length) if node.doubtful(1) else length,)]


def eye(node: Node) -> Shapes:
    """Returns the output shape of Eye and Tri of (rows, columns, offset): (rows, columns)."""
    return [(node.number(0), node.number(1))]


def shape_vector(node: Node) -> Shapes:
    """Returns the output shape of the Op Shape: a vector with one entry for each dimension of the input."""
    return [(len(node.shape(0)),)]


def make_vector(node: Node) -> Shapes:
    """Returns the output shape of MakeVector: a vector with one element for each input."""
    return [(node.n_inputs,)]


def specify_shape(node: Node) -> Shapes:
    """Returns the output shape of SpecifyShape: the input's shape, with the lengths that the Op asserts.

    These are a vector (Theano), or a scalar or None for each dimension (Aesara and later).
    """
    shape = node.shape(0)
    vector = node.numbers(1) if node.n_inputs == 2 and node.maybe(1) != () else None
    if vector is None and node.n_inputs == len(shape) + 1:
        vector = [node.number(i) if node.array(i) else d for i, d in enumerate(shape, 1)]
    if vector is None or len(vector) != len(shape):
        return [shape]
    return [tuple(d if isinstance(v, (Unknown, Bound)) else v for v, d in zip(vector, shape))]


def extract_diagonal(node: Node) -> Shapes:
    """Returns the output shape of ExtractDiag: the two axes are replaced by the diagonal, which becomes the last dimension."""
    shape, offset = node.shape(0), node.integer("offset", 0) or 0
    if len(shape) < 2:
        raise NoShape("a diagonal of fewer than two dimensions")
    a, b = (node.integer("axis1", 0) or 0) % len(shape), (node.integer("axis2", 1) or 0) % len(shape)
    rest = tuple(d for i, d in enumerate(shape) if i not in (a, b))
    length = lift(lambda m, n: max(0, min(m + min(offset, 0), n - max(offset, 0))), shape[a], shape[b])
    return [(*rest, length)]


def alloc_diagonal(node: Node) -> Shapes:
    """Returns the output shape of AllocDiag: the last dimension becomes two axes of a square matrix."""
    shape, offset = node.shape(0, least=1), abs(node.integer("offset", 0) or 0)
    side = lift(lambda n: n + offset, shape[-1])
    dims: list[Dim] = list(shape[:-1])
    first, second = node.integer("axis1"), node.integer("axis2")
    ndim = len(shape) + 1
    axes = sorted(((first if first is not None else 0) % ndim, (second if second is not None else 1) % ndim))
    for axis in axes:
        dims.insert(axis, side)
    return [tuple(dims)]


def bartlett(node: Node) -> Shapes:
    """Returns the output shape of Bartlett of (n): a vector of n points."""
    return [(node.number(0),)]


def join(node: Node) -> Shapes:
    """Returns the output shape of Join along an axis, which is the first input or (PyTensor 3) a parameter: lengths add up along it, others
    must agree.
    """
    fixed = node.integer("axis")
    first = 1 if fixed is None else 0
    axis = node.number(0) if fixed is None else fixed
    shapes = [node.shape(i) for i in range(first, node.n_inputs)]
    if isinstance(axis, Unknown):
        raise NoShape(axis.reason)
    if not shapes or any(len(s) != len(shapes[0]) for s in shapes) or not shapes[0]:
        raise NoShape("Join of arrays with different numbers of dimensions")
    axis %= len(shapes[0])
    return [tuple(total(column) if i == axis else agreed(column) for i, column in enumerate(zip(*shapes)))]


def split(node: Node) -> Shapes:
    """Returns the output shapes of Split of (array, axis, sizes), in PyTensor 3 of (array, sizes) with the axis a parameter: parts of these
    sizes along the axis.
    """
    shape, fixed = node.shape(0), node.integer("axis")
    axis = node.number(1) if fixed is None else fixed
    if isinstance(axis, Unknown):
        raise NoShape(axis.reason)
    sizes = node.entries(2 if fixed is None else 1)
    unknown: Dim = Unknown("the sizes of the parts of a Split are not known")
    parts = sizes if sizes is not None and len(sizes) == node.n_outputs else [unknown] * node.n_outputs
    axis %= max(1, len(shape))
    return [(*shape[:axis], part, *shape[axis + 1 :]) for part in parts]


def reshape(node: Node) -> Shapes:
    """Returns the output shape of Reshape of (array, shape): the second input's value; -1 in it stands for the length that is left."""
    wanted = node.entries(1)
    if wanted is not None:
        return [_filled(node, wanted)]
    if node.out_ndim() == 0:
        return [(0,) * 0]
    raise NoShape(node.reason(1))


def _filled(node: Node, wanted: list[Dim]) -> tuple[Dim, ...]:
    if not any(not isinstance(d, Unknown) and d == -1 for d in wanted):
        return tuple(wanted)
    size = node.maybe(0)
    left = size if isinstance(size, Unknown) else remaining_dim(size, [d for d in wanted if isinstance(d, Unknown) or d != -1])
    return tuple(left if not isinstance(d, Unknown) and d == -1 else d for d in wanted)


def join_dims(node: Node) -> Shapes:
    """Returns the output shape of JoinDims: `n_axes` dimensions from `start_axis` on become one."""
    shape, start, count = node.shape(0), node.integer("start_axis"), node.integer("n_axes")
    if start is None or count is None:
        raise NoShape("which dimensions JoinDims joins is not printed")
    return [(*shape[:start], product(shape[start : start + count]), *shape[start + count :])]


def split_dims(node: Node) -> Shapes:
    """Returns the output shape of SplitDims of (array, lengths): dimension `axis` becomes several, of these lengths; -1 stands for the
    length that is left.
    """
    shape, axis, lengths = node.shape(0), node.integer("axis"), node.numbers(1)
    if axis is None or lengths is None or axis >= len(shape):
        raise NoShape(f"SplitDims depends on the value of {node.name(1)}")
    if any(isinstance(d, int) and d == -1 for d in lengths):
        others = product(d for d in lengths if not (isinstance(d, int) and d == -1))
        left = lift(lambda n, m: n // m if m else 0, shape[axis], others)
        lengths = [left if isinstance(d, int) and d == -1 else d for d in lengths]
    return [(*shape[:axis], *lengths, *shape[axis + 1 :])]


def flatten(node: Node) -> Shapes:
    """Returns the output shape of Flatten: the first dimensions are kept, the others merged to one."""
    shape = node.shape(0)
    kept = node.integer("outdim", node.integer("ndim", node.out_ndim() or 1)) or 1
    return [(*shape[: kept - 1], product(shape[kept - 1 :]))]


def tile(node: Node) -> Shapes:
    """Returns the output shape of Tile of (array, repeats): each dimension times its number of repeats."""
    times, shape = node.numbers(1), node.shape(0)
    ndim = node.integer("ndim", node.out_ndim()) or len(shape)
    if times is None:
        raise NoShape(f"Tile depends on the value of {node.name(1)}")
    ndim = max(ndim, len(times), len(shape))
    padded: list[Dim] = [*[1] * (ndim - len(times)), *times]
    dims: list[Dim] = [*[1] * (ndim - len(shape)), *shape]
    return [tuple(lift(int.__mul__, d, n) for d, n in zip(dims, padded))]


def repeat(node: Node) -> Shapes:
    """Returns the output shape of Repeat of (array, repeats) along an axis: repeats are one number for all elements, or one for each."""
    axis, times = node.integer("axis"), node.numbers(1)
    shape = node.shape(0, least=0 if axis is None else max(axis + 1, -axis))
    counts = node.maybe(1)
    if times is None or isinstance(counts, Unknown):
        dim: Dim = Unknown(f"Repeat depends on the value of {node.name(1)}")
    else:
        length = product(shape) if axis is None else shape[axis]
        dim = lift(int.__mul__, length, times[0]) if len(times) == 1 else total(times)
    if axis is None:
        return [(dim,)]
    return [tuple(dim if i == axis % len(shape) else d for i, d in enumerate(shape))]


def alloc_memory(work: Work) -> None:
    """Memory of GpuAlloc and GpuAllocEmpty. If the array of the last call has the right shape, it is filled again."""
    work.reuse(0)


def reshape_memory(work: Work) -> None:
    """Memory of Reshape: a view if the strides allow it, else a new copy; the array of the last call is never reused."""
    source, shape = work.input(0), work.shape(0)
    view = reshaped(source, shape) if source is not None and shape is not None else None
    if view is not None or source is None:
        work.share(0, view)
    else:
        work.replace(0, shape)


def join_memory(work: Work) -> None:
    """Memory of GpuJoin: a new array; or, if all inputs but number `view` are empty, that input itself."""
    view = work.params.get("view", -1)
    if isinstance(view, int) and view != -1:
        arrays = [work.input(1 + k) for k in range(len(work.node.inputs) - 1)]
        others = arrays[:view] + arrays[view + 1 :]
        if all(a is not None and a.nbytes == 0 for a in others):
            work.share(0, arrays[view])
            return
    work.replace(0)


def split_memory(work: Work) -> None:
    """Memory of GpuSplit: views of the input, one after the other along the axis."""
    source = work.input(0)
    for output in range(len(work.node.outputs)):
        shape = work.shape(output)
        work.share(output, None if source is None or shape is None else source._replace(shape=shape))


def extract_diagonal_memory(work: Work) -> None:
    """Memory of GpuExtractDiag: a view, or a copy if the Op has no view_map."""
    source, shape = work.input(0), work.shape(0)
    if work.node.op.view_map and source is not None and shape is not None:
        stride = source.strides[0] + source.strides[1]
        work.share(0, Array(source.buffer, shape, (*source.strides[2:], stride), source.itemsize))
    else:
        work.replace(0)


def _arange_dtype(query: TypeQuery) -> Dtypes:
    return [query.param() or INDEX]


def _alloc_dtype(query: TypeQuery) -> Dtypes:
    """Alloc of (value, lengths): int64 where the value has a shorter integer dtype, because an integer that is printed alone may have any
    width.
    """
    dtype = query.at(0)
    return [INDEX if dtype in ("int8", "int16", "int32") else dtype]


def _join_dtype(query: TypeQuery) -> Dtypes:
    """The widest dtype of the inputs, without the axis if that is an input."""
    return [widest(query.inputs if "axis" in query.params else query.inputs[1:])]


def range_length(start: Number, stop: Number, step: Number) -> int | None:
    """Returns the number of elements of range(start, stop, step), also for floats; None if that is not finite."""
    try:
        return max(0, ceil((stop - start) / step))
    except (ArithmeticError, ValueError):  # step 0, infinity, NaN
        return None


def shape_value(node: Node) -> list[KnownArray]:
    """Returns the value of the Op Shape: the input's whole shape."""
    dims = tuple(d for d in node.shape(0) if not isinstance(d, Unknown))
    if len(dims) < len(node.shape(0)):
        raise NoValue
    return [KnownArray((len(dims),), tuple(map(int, dims)))]


def shape_entry_value(node: Node) -> list[KnownArray]:
    """Returns the value of the Op Shape_i: one dimension of the input."""
    axis = node.integer("i", 0) or 0
    dim = node.shape(0, least=max(axis + 1, -axis))[axis]
    if isinstance(dim, Unknown):
        raise NoValue
    return [KnownArray((), (int(dim),))]


def _make_vector_value(node: Node) -> list[KnownArray]:
    """MakeVector: a vector of the scalar inputs."""
    items = tuple(only(a) for a in needed(node))
    return [KnownArray((len(items),), items)]


def _join_value(node: Node) -> list[KnownArray]:
    """Join of small arrays, along an axis that is a parameter (PyTensor 3) or the first input."""
    arrays, axis = needed(node), node.integer("axis")
    if axis is None and arrays:
        axis, arrays = int(only(arrays[0])), arrays[1:]
    first = arrays[0].shape if arrays else ()
    if axis is None or not -len(first) <= axis < len(first):
        raise NoValue
    axis %= len(first)
    before, after = first[:axis], first[axis + 1 :]
    if any(len(a.shape) != len(first) or (a.shape[:axis], a.shape[axis + 1 :]) != (before, after) for a in arrays):
        raise NoValue
    rows = [(a.items, prod(a.shape[axis:])) for a in arrays]
    items = tuple(v for k in range(prod(before)) for row, step in rows for v in row[k * step : (k + 1) * step])
    return [KnownArray((*before, sum(a.shape[axis] for a in arrays), *after), items)]


def _arange_value(node: Node) -> list[KnownArray]:
    """ARange with few elements."""
    start, stop, step = (only(a) for a in needed(node, 0, 1, 2))
    length = range_length(start, stop, step)
    if length is None or length > MAX_ITEMS:
        raise NoValue
    return [KnownArray((length,), tuple(start + k * step for k in range(length)))]


def _alloc_value(node: Node) -> list[KnownArray]:
    """Alloc with few elements of one value."""
    arrays = needed(node)
    shape = tuple(int(only(d)) for d in arrays[1:])
    if not arrays or not is_small(shape) or len(arrays[0].items) != 1 or min(shape, default=0) < 0:
        raise NoValue
    return [KnownArray(shape, arrays[0].items * prod(shape))]


def _join_agrees(node: Node) -> Equal:
    """Join: all dimensions but the axis agree."""
    fixed, rank = node.integer("axis"), out_rank(node)
    axis = node.number(0) if fixed is None else fixed
    if not isinstance(axis, int) or not rank:
        raise NoShape("the axis is not known")
    axis %= rank
    for i in range(0 if fixed is not None else 1, node.n_inputs):
        yield i, 0, OUT, 0, axis
        yield i, axis + 1, OUT, axis + 1, rank - axis - 1


def _split_outputs(graph: FunctionGraph, node: Apply) -> list[Type] | None:
    """Types of all parts. Source: Theano 1.0.5 tensor/basic.py `Split`."""
    x, n = graph.variables[node.inputs[0]].type, node.op.params.get("len_splits")
    return [typed_like(x, x.dtype, (None,) * x.ndim)] * n if sized(x) and isinstance(n, int) and 0 < n < 1000 else None


OPS = (
    OpSpec("ARange", input_ranks=(0, 0, 0), output_ranks=(1,), integers_from=0, shape=arange, value=_arange_value, dtype=_arange_dtype,
        gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Alloc", scalars_from=1, integers_from=1, fills_scan_buffer=True, shape=alloc, value=_alloc_value, dtype=_alloc_dtype,
        gpu_memory=alloc_memory, gpu=GpuLowering("GpuAlloc", follows_clients=True, host_inputs_from=1)),
    OpSpec("AllocDiag", shape=alloc_diagonal, dtype=as_input(0), gpu_memory=new_array, gpu=GpuLowering("GpuAllocDiag")),
    OpSpec("ExtractDiag", shape=extract_diagonal, dtype=as_input(0), gpu_memory=extract_diagonal_memory,
        gpu=GpuLowering("GpuExtractDiag")),
    OpSpec("AllocEmpty", may_lack_inputs=True, scalars_from=0, integers_from=0, fills_scan_buffer=True, shape=alloc,
        gpu_memory=alloc_memory, gpu=GpuLowering("GpuAllocEmpty", follows_clients=True, host_inputs_from=0)),
    OpSpec("Bartlett", shape=bartlett, gpu=GpuLowering(stays_on_host=True)),
    OpSpec("BroadcastTo", integers_from=1, views_input=True, shape=alloc, value=_alloc_value, dtype=as_input(0)),
    OpSpec("Eye", scalars_from=0, integers_from=0, shape=eye, gpu_memory=new_array,
        gpu=GpuLowering("GpuEye", follows_clients=True, host_inputs_from=0)),
    OpSpec("Tri", scalars_from=0, integers_from=0, shape=eye, gpu_memory=new_array,
        gpu=GpuLowering("GpuTri", follows_clients=True, host_inputs_from=0)),
    OpSpec("MakeVector", may_lack_inputs=True, output_ranks=(1,), scalars_from=0, integer_arithmetic=True, shape=make_vector,
        value=_make_vector_value, dtype=_arange_dtype, gpu=GpuLowering(stays_on_host=True)),
    OpSpec("ScalarFromTensor", scalars_from=0, integer_arithmetic=True, shape=scalar, value=first_number, dtype=as_input(0),
        gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Shape", output_ranks=(1,), shape=shape_vector, value=shape_value, dtype=always(INDEX),
        gpu=GpuLowering(under_same_rules=True, stays_on_host=True)),
    OpSpec("Shape_i", output_ranks=(0,), shape=scalar, value=shape_entry_value, dtype=always(INDEX),
        printed_parameters=numbered_parameter("i"), gpu=GpuLowering(stays_on_host=True)),
    OpSpec("SpecifyShape", integers_from=1, integer_arithmetic=True, views_input=True, on_either_side=True, shape=specify_shape,
        value=same, dtype=as_input(0), gpu=GpuLowering(under_same_rules=True, host_inputs_from=1)),
    OpSpec("TensorFromScalar", integer_arithmetic=True, shape=scalar, value=first_number, dtype=as_input(0),
        gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Flatten", integer_arithmetic=True, views_input=True, shape=flatten, dtype=as_input(0),
        printed_parameters=numbered_parameter("outdim")),
    OpSpec("Join", integer_arithmetic=True, shape=join, value=_join_value, agrees=_join_agrees, dtype=_join_dtype,
        gpu_memory=join_memory, gpu=GpuLowering("GpuJoin", host_inputs=(0,))),
    *alike("Repeat RepeatOp", integers_from=1, shape=repeat, dtype=as_input(0)),
    OpSpec("Tile", integers_from=1, shape=tile, dtype=as_input(0)),
    OpSpec("Reshape", integers_from=1, integer_arithmetic=True, rearranges=True, views_input=True, shape=reshape, value=reshaped_value,
        dtype=as_input(0), memory=reshape_memory, gpu_memory=reshape_memory, printed_parameters=numbered_parameter("ndim"),
        gpu=GpuLowering("GpuReshape", host_inputs_from=1)),
    OpSpec("Split", integers_from=1, shape=split, all_outputs=_split_outputs, dtype=as_input(0), gpu_memory=split_memory,
        printed_parameters=numbered_parameter("len_splits"), gpu=GpuLowering("GpuSplit", host_inputs_from=1)),
    OpSpec("JoinDims", views_input=True, shape=join_dims, dtype=as_input(0)),
    OpSpec("SplitDims", views_input=True, shape=split_dims, dtype=as_input(0)),
    OpSpec("AllocDiag2", shape=alloc_diagonal, dtype=as_input(0)),
    OpSpec("JAXShapeTuple", shape=make_vector, value=_make_vector_value, dtype=always(INDEX)),
    OpSpec("Size", dtype=always(INDEX)),
)  # fmt: skip
"""The catalogue entries of this family of Ops."""
