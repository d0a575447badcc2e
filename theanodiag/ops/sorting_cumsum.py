"""Ops that sort, search and count; cumulative sums and differences. Where data decides a length, it is an upper bound (`Bound`).

Sources: Theano 1.0.5 tensor/sort.py, tensor/extra_ops.py, gpuarray/extra_ops.py; the same in Aesara 2.9.4 and PyTensor 3.3.7.
"""

from __future__ import annotations

from math import prod

from ..agent.shapes.dimensions import (
    Bound,
    broadcast,
    lift,
    product,
)
from ..ir import Apply, FunctionGraph, Shape, Type, Unknown
from .arrays import Buffer
from .dtypes import INDEX, always, as_input, first_and
from .memory_effects import Work, by_maps_in_c, in_c
from .node import Like, Node, Shapes, sized, typed_like
from .parameters import Groups, Params, generic, numbered_parameter
from .spec import GpuLowering, OpSpec, ScratchQuery, alike


def unique(node: Node) -> Shapes:
    """Returns the output shapes of Unique: at most as many elements (or slices along the axis) as the input; the inverse has one entry for
    each.
    """
    axis = node.integer("axis")
    shape = node.shape(0, least=0 if axis is None else max(axis + 1, -axis))
    length = product(shape) if axis is None else shape[axis]
    most = length if isinstance(length, Unknown) else Bound(length)
    first: Shape = (most,) if axis is None else tuple(most if i == axis % len(shape) else d for i, d in enumerate(shape))
    rows: tuple[tuple[str, Shape], ...] = (("return_index", (most,)), ("return_inverse", (length,)), ("return_counts", (most,)))
    shapes: list[Shape | Unknown] = [first, *(dims for flag, dims in rows if node.flag(flag))]
    return shapes if len(shapes) == node.n_outputs else [first, *[Unknown("Unique: which outputs these are")] * (node.n_outputs - 1)]


def top(node: Node) -> Shapes:
    """Returns the output shapes of TopKOp of (array, k): |k| elements along the axis; a negative k selects the smallest."""
    shape, wanted, axis = node.shape(0), node.number(1), node.integer("axis", -1)
    length = lift(abs, wanted)
    return [tuple(length if i == (axis or 0) % len(shape) else d for i, d in enumerate(shape))] * node.n_outputs


def cumulated(node: Node) -> Shapes:
    """Returns the output shape of CumOp: that of the input; without an axis that of the flattened input."""
    shape = node.shape(0)
    return [shape if node.integer("axis") is not None else (product(shape),)]


def differences(node: Node) -> Shapes:
    """Returns the output shape of DiffOp: the input's shape, shorter along the axis by the order of differences."""
    shape, axis, order = node.shape(0), node.integer("axis", -1), node.integer("n", 1) or 1
    return [tuple(lift(lambda n: max(0, n - order), d) if i == (axis or 0) % len(shape) else d for i, d in enumerate(shape))]


def permute_rows(node: Node) -> Shapes:
    """Returns the output shape of PermuteRowElements of (array, positions, inverse flag): broadcast of the first two. Source: Theano 1.0.5
    tensor/basic.py.
    """
    return [broadcast([node.shape(0), node.shape(1)])]


MAX_THREADS = 1024
"""Maximum number of threads in a block: `maxlsize0` of the context, 1024 on every CUDA device since compute capability 2.0."""


@in_c
def cumulative_memory(work: Work) -> None:
    """Memory of GpuCumOp: the output, then the sums of blocks along the axis. These sums are summed in blocks again, until only one is
    left.
    """
    work.reuse(0)
    shape, axis = work.shape(0), work.params.get("axis")
    if shape is None or not isinstance(axis, int) or not -len(shape) <= axis < len(shape):
        return
    length, beside = shape[axis], prod(shape) // max(shape[axis], 1)
    taken: list[Buffer] = []
    while length > 1:
        even = length - length % 2
        block = (min(even, 2 * MAX_THREADS) + 1) // 2
        length = -(-even // (2 * block))
        taken.append(work.temporary(length * beside * work.size_out(), "sums of blocks"))
    work.give(*reversed(taken))


def _positions_scratch(query: ScratchQuery) -> int:
    """Sorting of positions: a copy of the keys, which are sorted along, and the positions before."""
    return query.inputs[0] + sum(query.outputs)


PART = 16
"""Number of terms of a cumulative sum that XLA adds up together (openxla/xla, `ReduceWindowRewriter`)."""


def _cumulative_scratch(query: ScratchQuery) -> int:
    """Cumulative sums: a padded copy, and partial sums at each level; on the CPU each part is copied once more."""
    shape, axis = query.shape, query.op.params.get("axis")
    along = shape[axis] if isinstance(axis, int) and not isinstance(shape, Unknown) and -len(shape) <= axis < len(shape) else None
    padded = sum(query.outputs)
    if isinstance(along, int) and along:
        padded = padded * (-(-along // PART) * PART) // along
    return padded * (9 if query.on_gpu else 20) // 8


def _search_scratch(query: ScratchQuery) -> int:
    """Binary search: bounds for each result."""
    return 4 * sum(query.outputs)


def _cumulative_parameters(groups: Groups) -> Params:
    """`{0, add}`, `{axis=0}`."""
    params = generic(groups)
    args = params.pop("args", None)
    return {"axis": args[0], "mode": args[1], **params} if isinstance(args, list) and len(args) == 2 else params


def _unique_outputs(graph: FunctionGraph, node: Apply) -> list[Type] | None:
    """Types of the unique elements, and of the other requested outputs. Source: Theano 1.0.5 tensor/extra_ops.py `Unique`."""
    x, params = graph.variables[node.inputs[0]].type, node.op.params
    if not sized(x):
        return None
    rows = (None,) if params.get("axis") is None else (None,) * x.ndim
    flags = [name for name in ("return_index", "return_inverse", "return_counts") if params.get(name) is True]
    return [typed_like(x, x.dtype, rows), *[typed_like(x, "int64", (None,))] * len(flags)]


OPS = (
    OpSpec("ArgSortOp", shape=Like(0), dtype=always(INDEX), xla_scratch=_positions_scratch, gpu=GpuLowering(stays_on_host=True)),
    OpSpec("SortOp", shape=Like(0), dtype=as_input(0), gpu=GpuLowering(stays_on_host=True)),
    OpSpec("SearchsortedOp", shape=Like(1), dtype=always(INDEX), xla_scratch=_search_scratch, gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Unique", shape=unique, all_outputs=_unique_outputs, dtype=first_and(INDEX), gpu=GpuLowering(stays_on_host=True)),
    OpSpec("CumOp", printed_as={"Cumsum": {"mode": "add"}, "Cumprod": {"mode": "mul"}}, shape=cumulated, dtype=as_input(0),
        gpu_memory=cumulative_memory, xla_scratch=_cumulative_scratch, printed_parameters=_cumulative_parameters,
        gpu=GpuLowering("GpuCumOp", contiguous_inputs=1)),
    *alike("CumprodOp CumsumOp", shape=cumulated, dtype=as_input(0), gpu=GpuLowering("GpuCumOp")),
    OpSpec("TopKOp", integers_from=1, shape=top, dtype=first_and(INDEX), gpu_memory=by_maps_in_c, gpu=GpuLowering(host_inputs_from=1)),
    OpSpec("Bincount", integers_from=0, dtype=always(INDEX)),
    OpSpec("Cumsum", shape=cumulated, dtype=as_input(0), printed_parameters=numbered_parameter("axis")),
    OpSpec("DiffOp", shape=differences, dtype=as_input(0)),
    OpSpec("PermuteRowElements", shape=permute_rows, dtype=as_input(0)),
)  # fmt: skip
"""The catalogue entries of this family of Ops."""
