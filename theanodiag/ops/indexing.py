"""Ops that read or write parts of arrays, search, sort, count and accumulate. Where data decides a length, it is an upper bound (`Bound`).

Sources: Theano 1.0.5 tensor/subtensor.py (`IncSubtensor.c_code`), tensor/basic.py, gpuarray/subtensor.py; the same in Aesara 2.9.4 and
PyTensor 3.3.7; pygpu 0.7.6, gpuarray.pyx.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt

from ..ir import Unknown, itemsize
from .arrays import Array, Buffer, c_strides, reshaped, size_of
from .dtypes import INDEX, always, as_input, first_and
from .parameters import Groups, Params, generic, literal, numbered, split_top
from .scratch import ScratchQuery
from .spec import GpuLowering, OpSpec, alike
from .work import Work, by_maps_in_c, copy_or_reuse, in_c, new_array


def subtensor_memory(work: Work) -> None:
    """Subtensor: a view; each slice multiplies its stride by its step."""
    source, shape = work.input(0), work.shape(0)
    pattern = work.params.get("idx_list")
    if source is None or shape is None or not isinstance(pattern, (list, tuple)):
        work.clear(0)
    elif not source.shape:
        work.replace(0, ())
    else:
        strides = tuple(_strides(work, source, list(pattern)))
        work.share(0, Array(source.buffer, shape, strides, source.itemsize))


def _strides(work: Work, source: Array, pattern: list[object]) -> Iterator[int]:
    """Strides of the result's dimensions, for the Op's index pattern `idx_list`."""
    position = 1
    for stride, entry in zip(source.strides, pattern + [{"slice": [None] * 3}] * (len(source.strides) - len(pattern))):
        if not isinstance(entry, dict):
            position += entry == "i"
            continue
        parts = entry["slice"]
        step = parts[2]
        position += sum(p == "i" for p in parts)
        if step == "i":
            step = work.known(position - 1)
        yield stride * (step if isinstance(step, int) else 1)


def inc_subtensor_memory(work: Work) -> None:
    """GpuIncSubtensor: in place, or into a copy of the array."""
    source = work.input(0)
    if source is None:
        work.clear(0)
    elif work.node.op.destroy_map:
        work.share(0, source)
    else:
        work.replace(0, source.shape)


def rows_by_number_memory(work: Work) -> None:
    """GpuAdvancedSubtensor1, rows by number: reuses the old value if it fits and is in C order."""
    work.reuse(0, contiguous=True)


def inc_rows_by_number_memory(work: Work) -> None:
    """GpuAdvancedIncSubtensor1: in place, or into a copy of the array."""
    source, added = work.input(0), work.input(1)
    if source is None:
        work.clear(0)
    elif work.node.op.destroy_map:
        work.share(0, source)
    elif work.node.op.name.endswith("_dev20") or (added is not None and len(added.shape) == len(source.shape)):
        copy_or_reuse(work, source)
    else:
        work.replace(0)


INDEX_BYTES = 8
"""Bytes of a position where the index is a mask, which NumPy converts to int64."""
NEW_AXIS = "NoneTypeT"
"""Text of the type of a `None` index."""


def advanced_memory(work: Work) -> None:
    """Copies the positions, computed on the host, to the device, then gathers the rows into a new array.

    The source is copied first where its indexed dimensions cannot be merged into one by a view. The gathered dimensions come first in
    memory, wherever they are in the result.
    """
    source, arrays = work.input(0), [k for k in range(1, len(work.node.inputs)) if _is_array(work, k)]
    shapes = [work.shape_in(k) for k in arrays]
    if source is None or not arrays or None in shapes:
        work.replace(0)
        return
    gathered, shape, place = _broadcast_exact([s for s in shapes if s is not None]), work.shape(0), _place(work)
    rest = () if shape is None else shape[:place] + shape[place + len(gathered) :]
    copy = _flattened(work, source, rest)
    index = work.temporary(size_of(gathered) * max(_index_bytes(work, k) for k in arrays), "positions of the rows")
    rows = work.fresh(0)
    work.give(index)
    work.release(copy)
    work.assign(0, rows if rows is None else rows._replace(strides=_strides_of_steps(rows, place, len(gathered))))


def _kind_of_index(work: Work, position: int) -> str:
    """The kind of index at input `position`: `array`, `number`, `new axis` or `slice`."""
    kind = work.frame.program.graph.variables[work.node.inputs[position]].type
    if kind.dtype is not None:
        return "array" if kind.ndim else "number"
    return "new axis" if kind.text == NEW_AXIS else "slice"


def _is_array(work: Work, position: int) -> bool:
    return _kind_of_index(work, position) == "array"


def _index_bytes(work: Work, position: int) -> int:
    dtype = work.frame.program.graph.variables[work.node.inputs[position]].type.dtype or "int64"
    return INDEX_BYTES if dtype == "bool" else itemsize(dtype)


def _broadcast_exact(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape to which arrays of these shapes broadcast."""
    ndim = max(map(len, shapes))
    padded = [(1,) * (ndim - len(s)) + s for s in shapes]
    return tuple(max(column) if 0 not in column else 0 for column in zip(*padded))


def _place(work: Work) -> int:
    """Position of the gathered dimensions in the result: that of the first index, or 0 if a slice lies between two of the arrays."""
    place, parted = None, False
    for k in range(1, len(work.node.inputs)):
        entry = _kind_of_index(work, k)
        if entry in ("slice", "new axis"):
            parted = place is not None
        elif place is None:
            place = k - 1
        elif parted and entry == "array":
            return 0
    return place or 0


def _strides_of_steps(rows: Array, place: int, count: int) -> tuple[int, ...]:
    """Strides of `rows` where its `count` dimensions from `place` on come first in memory."""
    ndim = len(rows.shape)
    order = (*range(place, place + count), *range(place), *range(place + count, ndim))
    if len(order) != ndim:  # a mask, which merges several dimensions of the source into one
        return rows.strides
    found = dict(zip(order, c_strides(tuple(rows.shape[k] for k in order), rows.itemsize)))
    return tuple(found[k] for k in range(ndim))


def _flattened(work: Work, source: Array, rest: tuple[int, ...]) -> Array | None:
    """A copy of `source` with the indexed dimensions merged in front, followed by those of `rest`; None where a view will do."""
    indexed, others, axis = [], [], 0
    for k in range(1, len(work.node.inputs)):
        entry = _kind_of_index(work, k)
        if entry == "array":
            indexed.append(axis)
        elif entry == "slice":
            others.append(axis)
        axis += entry != "new axis"
    others += range(axis, len(source.shape))
    if axis > len(source.shape):  # a mask takes several dimensions
        return None
    axes = indexed + others
    turned = source._replace(shape=tuple(source.shape[k] for k in axes), strides=tuple(source.strides[k] for k in axes))
    p = len(indexed)
    flat = (size_of(turned.shape[:p]), *turned.shape[p:])
    if reshaped(turned, flat) is not None:
        return None
    return work.copied(turned._replace(shape=(flat[0], *rest)), "copy with the indexed dimensions in front")


MAX_THREADS = 1024
"""Threads of a block: `maxlsize0` of the context, 1024 on every CUDA device since compute capability 2.0."""


@in_c
def cumulative_memory(work: Work) -> None:
    """GpuCumOp: the output, then the sums of blocks along the axis, which are summed in blocks again until one is left."""
    work.reuse(0)
    shape, axis = work.shape(0), work.params.get("axis")
    if shape is None or not isinstance(axis, int) or not -len(shape) <= axis < len(shape):
        return
    length, beside = shape[axis], size_of(shape) // max(shape[axis], 1)
    taken: list[Buffer] = []
    while length > 1:
        even = length - length % 2
        block = (min(even, 2 * MAX_THREADS) + 1) // 2
        length = -(-even // (2 * block))
        taken.append(work.temporary(length * beside * work.size_out(0), "sums of blocks"))
    work.give(*reversed(taken))


def _positions_scratch(asked: ScratchQuery) -> int:
    """Sorting of positions: a copy of the keys, which are sorted along, and the positions before."""
    return asked.inputs[0] + sum(asked.outputs)


PART = 16
"""Number of terms of a cumulative sum that are added up together (openxla/xla, `ReduceWindowRewriter`)."""


def _cumulative_scratch(asked: ScratchQuery) -> int:
    """Cumulative sums: a padded copy, and partial sums at each level; on the CPU each part is copied once more."""
    shape, axis = asked.shape, asked.op.params.get("axis")
    along = shape[axis] if isinstance(axis, int) and not isinstance(shape, Unknown) and -len(shape) <= axis < len(shape) else None
    padded = sum(asked.outputs)
    if isinstance(along, int) and along:
        padded = padded * (-(-along // PART) * PART) // along
    return padded * (9 if asked.on_gpu else 20) // 8


def _indexed_scratch(asked: ScratchQuery) -> int:
    """Indexing by arrays: the positions, checked and put together."""
    return 2 * sum(asked.inputs[1:])


def _inc_indexed_scratch(asked: ScratchQuery) -> int:
    """Increments at places that are given as arrays: the positions, checked and put together."""
    return 2 * sum(asked.inputs[2:])


def _diagonal_scratch(asked: ScratchQuery) -> int:
    """FillDiagonal: a position for each element of the diagonal."""
    return 8 * isqrt(sum(asked.outputs))


def _search_scratch(asked: ScratchQuery) -> int:
    """Binary search: bounds for each result."""
    return 4 * sum(asked.outputs)


def _index_parameters(found: Groups) -> Params:
    """`{int64:int64:, int64}`, `{start:stop}`, `{InplaceSet;:int64:}`."""
    body = found[0][1] if found else ""
    params: Params = {}
    head, semicolon, rest = body.partition(";")
    if semicolon:
        params = {"inplace": "Inplace" in head, "set_instead_of_inc": head.endswith("Set")}
        body = rest
    return {"idx_list": [_index_entry(e) for e in split_top(body)], **params}


def _index_entry(text: str) -> object:
    if ":" not in text:
        return _index_part(text)
    parts = [_index_part(p) for p in text.split(":")[:3]]
    return {"slice": [*parts, *[None] * (3 - len(parts))]}


def _index_part(text: str) -> object:
    """An integer of the pattern; "i" for the next input; None for an omitted part."""
    value = literal(text)
    return value if isinstance(value, int) else "i" if text.strip() and value is not None else None


def _advanced_inc_parameters(found: Groups) -> Params:
    """`{inplace,set}`, `{inplace=False,  set_instead_of_inc=True}`."""
    params = generic(found)
    args = params.pop("args", [])
    if isinstance(args, list) and args and args[0] in ("set", "inc"):
        params["set_instead_of_inc"] = args[0] == "set"
    return params


def _cumulative_parameters(found: Groups) -> Params:
    """`{0, add}`, `{axis=0}`."""
    params = generic(found)
    args = params.pop("args", None)
    return {"axis": args[0], "mode": args[1], **params} if isinstance(args, list) and len(args) == 2 else params


OPS = (
    OpSpec("AdvancedBooleanIncSubtensor", dtype=as_input(0), gpu_memory=new_array, gpu=GpuLowering("GpuAdvancedBooleanIncSubtensor")),
    OpSpec("AdvancedBooleanSubtensor", dtype=as_input(0), gpu_memory=advanced_memory, gpu=GpuLowering("GpuAdvancedBooleanSubtensor")),
    OpSpec("AdvancedIncSubtensor", integers_from=2, printed_as={"AdvancedSetSubtensor": {"set_instead_of_inc": True}}, dtype=as_input(0),
        gpu_memory=new_array, scratch=_inc_indexed_scratch, printed_parameters=_advanced_inc_parameters,
        gpu=GpuLowering("GpuAdvancedIncSubtensor", host_inputs_from=2)),
    OpSpec("AdvancedIncSubtensor1", input_ranks=(None, None, 1), integers_from=2,
        printed_as={"AdvancedSetSubtensor1": {"set_instead_of_inc": True}}, dtype=as_input(0), gpu_memory=inc_rows_by_number_memory,
        scratch=_inc_indexed_scratch, printed_parameters=_advanced_inc_parameters,
        gpu=GpuLowering("GpuAdvancedIncSubtensor1", cast_to_int64=2)),
    OpSpec("AdvancedIncSubtensor1_dev20", integers_from=2, dtype=as_input(0), gpu_memory=inc_rows_by_number_memory,
        printed_parameters=_advanced_inc_parameters),
    OpSpec("IncDiagonalSubtensor", integers_from=2, dtype=as_input(0)),
    OpSpec("AdvancedSubtensor1", input_ranks=(None, 1), integers_from=1, integer_arithmetic=True, dtype=as_input(0),
        gpu_memory=rows_by_number_memory, scratch=_indexed_scratch, gpu=GpuLowering("GpuAdvancedSubtensor1", cast_to_int64=1)),
    OpSpec("IncSubtensor", scalars_from=2, integers_from=2, fills_scan_buffer=True,
        printed_as={"SetSubtensor": {"set_instead_of_inc": True}}, dtype=as_input(0), gpu_memory=inc_subtensor_memory,
        printed_parameters=_index_parameters, gpu=GpuLowering("GpuIncSubtensor", host_inputs_from=2)),
    OpSpec("ScalarSubtensor", integers_from=1, dtype=as_input(0), printed_parameters=_index_parameters),
    OpSpec("DiagonalSubtensor", integers_from=1, dtype=as_input(0)),
    OpSpec("Subtensor", scalars_from=1, integers_from=1, integer_arithmetic=True, rearranges=True, views_input=True, part_of_input=True,
        dtype=as_input(0), memory=subtensor_memory, gpu_memory=subtensor_memory, printed_parameters=_index_parameters,
        gpu=GpuLowering("GpuSubtensor", host_inputs_from=1)),
    OpSpec("AdvancedSubtensor", integers_from=1, dtype=as_input(0), gpu_memory=advanced_memory, scratch=_indexed_scratch,
        gpu=GpuLowering("GpuAdvancedSubtensor", host_inputs_from=1)),
    OpSpec("ArgSortOp", dtype=always(INDEX), scratch=_positions_scratch, gpu=GpuLowering(stays_on_host=True)),
    OpSpec("FillDiagonal", dtype=as_input(0), scratch=_diagonal_scratch, gpu=GpuLowering(stays_on_host=True)),
    *alike("FillDiagonalOffset SortOp", dtype=as_input(0), gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Nonzero", dtype=always(INDEX), gpu=GpuLowering(stays_on_host=True)),
    OpSpec("SearchsortedOp", dtype=always(INDEX), scratch=_search_scratch, gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Unique", dtype=first_and(INDEX), gpu=GpuLowering(stays_on_host=True)),
    OpSpec("CumOp", printed_as={"Cumsum": {"mode": "add"}, "Cumprod": {"mode": "mul"}}, dtype=as_input(0), gpu_memory=cumulative_memory,
        scratch=_cumulative_scratch, printed_parameters=_cumulative_parameters, gpu=GpuLowering("GpuCumOp", contiguous_inputs=1)),
    *alike("CumprodOp CumsumOp", dtype=as_input(0), gpu=GpuLowering("GpuCumOp")),
    OpSpec("Choose", integer_input=0, dtype=as_input(0)),
    OpSpec("TopKOp", integers_from=1, dtype=first_and(INDEX), gpu_memory=by_maps_in_c, gpu=GpuLowering(host_inputs_from=1)),
    OpSpec("MakeSlice", integers_from=0),
    *alike("Bincount UnravelIndex", integers_from=0, dtype=always(INDEX)),
    *alike("Count Index Length RavelMultiIndex", dtype=always(INDEX)),
    OpSpec("Cumsum", dtype=as_input(0), printed_parameters=numbered("axis")),
    *alike("Default DiffOp PermuteRowElements", dtype=as_input(0)),
)  # fmt: skip
"""The entries of this family."""
