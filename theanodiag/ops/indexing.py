"""Ops that read or write parts of arrays. Where data decides a length, it is an upper bound (`Bound`).

Sources: Theano 1.0.5 tensor/subtensor.py (`IncSubtensor.c_code`), tensor/basic.py, gpuarray/subtensor.py; the same in Aesara 2.9.4 and
PyTensor 3.3.7; pygpu 0.7.6, gpuarray.pyx.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from math import isqrt, prod
from typing import NamedTuple, Union

from ..agent.shapes.dimensions import (
    Bound,
    NoShape,
    broadcast,
    lift,
    product,
    sliced,
)
from ..ir import Constant, Shape, Unknown, itemsize
from ..ir.shape import Dim
from .arrays import Array, c_strides, reshaped
from .dtypes import INDEX, always, as_input
from .memory_effects import Work, copy_or_reuse, new_array
from .node import KnownArray, Like, Node, NoValue, Shapes, fits, is_small, needed, offset_of, positions, scalar
from .parameters import Groups, Params, generic, literal, split_top
from .spec import OUT, Equal, GpuLowering, OpSpec, ScratchQuery, alike, out_rank, rank_of


class Slice(NamedTuple):
    """A slice `start:stop:step` in an index; None for a part that is omitted."""

    start: Dim | None
    stop: Dim | None
    step: Dim | None


Entry = Union[Slice, Dim]
"""One index of a pattern: a slice or a number."""


def entries(node: Node, first: int) -> list[Entry]:
    """Returns the indices in a node's pattern `idx_list`; `first` is the position of the first index among the inputs."""
    pattern = node.params.get("idx_list")
    if not isinstance(pattern, list):
        raise NoShape(f"the index pattern of {node.op.name} is not known")
    positions = iter(range(first, node.n_inputs))
    return [_entry(node, e, positions) for e in pattern]


def _entry(node: Node, entry: object, positions: Iterator[int]) -> Entry:
    if isinstance(entry, dict):
        parts = entry.get("slice")
        if isinstance(parts, list) and len(parts) == 3:
            return Slice(*[part(node, p, positions) for p in parts])
    index = part(node, entry, positions)
    if index is None:
        raise NoShape(f"the index pattern of {node.op.name} is not known")
    return index


def part(node: Node, value: object, positions: Iterator[int]) -> Dim | None:
    """Returns one number of an index pattern: the one written in the pattern, or the value of the next input; None for an omitted part of a
    slice.
    """
    if value is None or isinstance(value, int):
        return value
    position = next(positions, None)
    if position is None:
        raise NoShape(f"{node.op.name} has fewer indices than its pattern")
    kind = node.type(position)
    return None if kind.text == "<NoneTypeT>" or kind.text.startswith("NoneType") else node.number(position)


def subtensor(node: Node) -> Shapes:
    """Returns the output shape of Subtensor: lengths of the slices, then the dimensions that are not indexed."""
    shape, index = node.shape(0), entries(node, 1)
    if len(index) > len(shape):
        raise NoShape(f"{node.op.name} has more indices than its input has dimensions")
    dims = tuple(length_of(d, e) for d, e in zip(shape, index) if isinstance(e, Slice))
    return [dims + shape[len(index) :]]


def length_of(dim: Dim, entry: Slice) -> Dim:
    """Returns the length of the slice `entry` of a dimension of length `dim`; a Bound if a part of the slice is unknown."""
    return sliced(dim, *entry, vague=any(isinstance(p, (Unknown, Bound)) for p in entry))


def rows_by_number(node: Node) -> Shapes:
    """Returns the output shape of AdvancedSubtensor1 of (array, row numbers): the shape of the row numbers, followed by all dimensions of
    the array but the first.
    """
    return [node.shape(1) + node.shape(0)[1:]]


Index = Union[int, Slice, None]
"""One index of AdvancedSubtensor: the position of an input (numbers or a mask), a slice, or None for a new axis."""
_SLICE = re.compile(r"[Ss]lice(?:Constant)?[({]" + ", ?".join([r"(None|-?\d{1,18})"] * 3) + r"[)}]")
"""Matches a slice that is a constant: `slice(1, None, None)`, `SliceConstant{1, None, None}`."""
_VAGUE = Unknown("an end of a slice is not known")


def advanced(node: Node) -> Shapes:
    """Returns the output shape of AdvancedSubtensor: the broadcast shape of the index arrays replaces the dimensions that they index.

    If a slice or a new axis separates the index arrays, that shape comes first.
    """
    rest = list(node.shape(0))
    dims: list[Dim] = []
    places: list[int] = []
    arrays: list[Shape] = []
    for index in _indices(node):
        if isinstance(index, int):
            places.append(len(dims))
            dims.append(1)
            arrays.append(_covered(node, index, rest))
        else:
            dims.append(1 if index is None else length_of(_take(rest), index))
    return [_placed(dims, places, broadcast(arrays), rest)]


def _placed(dims: list[Dim], places: list[int], common: Shape, rest: list[Dim]) -> Shape:
    first = places[0] if places and places == list(range(places[0], places[0] + len(places))) else 0
    before = [d for i, d in enumerate(dims) if i < first]
    after = [d for i, d in enumerate(dims) if i >= first and i not in places]
    return (*before, *common, *after, *rest)


def _take(rest: list[Dim]) -> Dim:
    if not rest:
        raise NoShape("there are more indices than dimensions")
    return rest.pop(0)


def _indices(node: Node) -> Iterator[Index]:
    """The indices of a node: all inputs after the first, or those that the pattern `idx_list` names (PyTensor 2.38 and later)."""
    pattern = node.params.get("idx_list")
    if isinstance(pattern, list):
        positions = iter(range(1, node.n_inputs))
        yield from (_patterned(node, e, positions) for e in pattern)
        return
    yield from (_given(node, i) for i in range(1, node.n_inputs))


def _patterned(node: Node, entry: object, positions: Iterator[int]) -> Index:
    if isinstance(entry, dict) and isinstance(entry.get("slice"), list):
        return Slice(*[part(node, p, positions) for p in entry["slice"]])
    if isinstance(entry, str) and entry.startswith("slice("):
        parts = [p.strip() for p in entry[len("slice(") : -1].split(",")]
        return Slice(*[None if p == "None" else part(node, "i", positions) for p in parts])
    position = next(positions, None)
    if position is None:
        raise NoShape(f"{node.op.name} has fewer indices than its pattern")
    return position


def _given(node: Node, position: int) -> Index:
    """The index that input number `position` is: a slice, None for a new axis, or the position itself."""
    text = node.type(position).text
    name = node.state.graph.variables[node.apply.inputs[position]].name or ""
    if "NoneType" in text:
        return None
    maker = node.state.graph.maker(node.apply.inputs[position])
    if maker is not None and maker.op.name == "MakeSlice":
        view = Node(maker, node.state)
        return Slice(*[None if "NoneType" in view.type(i).text else view.number(i) for i in range(3)])
    if "slice" in text.lower():
        parts = _SLICE.search(name)
        return Slice(_VAGUE, _VAGUE, None) if parts is None else Slice(*[None if p == "None" else int(p) for p in parts.groups()])
    return position


def _covered(node: Node, position: int, rest: list[Dim]) -> Shape:
    """The shape that the index at input `position` adds; removes the dimensions that it indexes from the front of `rest`."""
    own = node.shape(position)
    if node.type(position).dtype == "bool":
        size = product(own)
        del rest[: len(own)]
        return (size if isinstance(size, Unknown) else Bound(size),)
    if node.type(position).dtype is None and own:
        raise NoShape("it is not printed whether an index is a mask or numbers")
    _take(rest)
    return own


def nonzero(node: Node) -> Shapes:
    """Returns the output shapes of Nonzero: at most as many positions as elements, in one vector for each dimension; in Theano 1.0.5 in one
    matrix with a row for each dimension.
    """
    shape = node.shape(0)
    size = product(shape)
    length = size if isinstance(size, Unknown) else Bound(size)
    return [(len(shape), length) if _is_matrix(node, i, len(shape)) else (length,) for i in range(node.n_outputs)]


def _is_matrix(node: Node, output: int, rank: int) -> bool:
    """Whether one output has all positions: by its type, else because it is the only one of several dimensions, or a row of it is taken."""
    ndim, graph = node.out_ndim(output), node.state.graph
    if ndim is not None or node.n_outputs > 1:
        return ndim == 2
    taken = [graph.applies[n].op for n, _ in graph.clients[node.apply.outputs[output]]]
    return rank > 1 or any(op.name == "Subtensor" and op.params.get("idx_list") == ["i"] for op in taken)


def choose(node: Node) -> Shapes:
    """Returns the output shape of Choose of (positions, choices): broadcast of the positions with each choice; choices are a list or
    stacked along dimension 0.

    Source: Theano 1.0.5 tensor/basic.py, `Choose`.
    """
    graph = node.state.graph
    owner = None if len(node.apply.inputs) < 2 else graph.variables[node.apply.inputs[1]].owner
    if owner is not None and graph.applies[owner].op.name == "MakeList":
        maker = Node(graph.applies[owner], node.state)
        return [broadcast([node.shape(0), *(maker.shape(i) for i in range(maker.n_inputs))])]
    return [broadcast([node.shape(0), node.shape(1)[1:]])]


def along_diagonal(node: Node) -> Shapes:
    """Returns the output shape of DiagonalSubtensor of (array, i, j): axis i has n_i - n_j + 1 elements, one for each window of
    length n_j.
    """
    shape, axes = list(node.shape(0)), [node.number(1), node.number(2)]
    first, second = (-1 if isinstance(a, Unknown) else int(a) for a in axes)
    if not (0 <= first < len(shape) and 0 <= second < len(shape)):
        raise NoShape(f"the axes of {node.op.name} are not known")
    shortest = isinstance(shape[second], Bound)  # a bound may be as small as 1, which cuts nothing off
    shape[first] = lift(lambda n, k: n if shortest else n - k + 1, shape[first], shape[second])
    return [tuple(shape)]


def subtensor_memory(work: Work) -> None:
    """Memory of Subtensor: a view; each slice multiplies its stride by its step."""
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
    """Memory of GpuIncSubtensor: works in place, or in a copy of the array."""
    source = work.input(0)
    if source is None:
        work.clear(0)
    elif work.node.op.destroy_map:
        work.share(0, source)
    else:
        work.replace(0, source.shape)


def rows_by_number_memory(work: Work) -> None:
    """Memory of GpuAdvancedSubtensor1 (rows by number). The array of the last call is reused if it has the right shape and is in
    C order.
    """
    work.reuse(0, contiguous=True)


def inc_rows_by_number_memory(work: Work) -> None:
    """Memory of GpuAdvancedIncSubtensor1: works in place, or in a copy of the array."""
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
"""Bytes of a position if the index is a mask, which NumPy converts to positions in int64."""
NEW_AXIS = "NoneTypeT"
"""Text of the type of a `None` index."""


def advanced_memory(work: Work) -> None:
    """Memory of GpuAdvancedSubtensor: copies the positions, computed on the host, to the device, then gathers the rows into a new array.

    The source is copied before that if its indexed dimensions cannot be merged into one by a view. The gathered dimensions come first in
    memory, wherever they are in the result.
    """
    source, arrays = work.input(0), [k for k in range(1, len(work.node.inputs)) if _kind_of_index(work, k) == "array"]
    shapes = [work.shape_in(k) for k in arrays]
    if source is None or not arrays or None in shapes:
        work.replace(0)
        return
    gathered, shape, place = _broadcast_exact([s for s in shapes if s is not None]), work.shape(0), _place(work)
    rest = () if shape is None else shape[:place] + shape[place + len(gathered) :]
    copy = _flattened(work, source, rest)
    index = work.temporary(prod(gathered) * max(_index_bytes(work, k) for k in arrays), "positions of the rows")
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
    strides = dict(zip(order, c_strides(tuple(rows.shape[k] for k in order), rows.itemsize)))
    return tuple(strides[k] for k in range(ndim))


def _flattened(work: Work, source: Array, rest: tuple[int, ...]) -> Array | None:
    """A copy of `source` with the indexed dimensions merged in front, followed by those of `rest`; None if a view will do."""
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
    flat = (prod(turned.shape[:p]), *turned.shape[p:])
    if reshaped(turned, flat) is not None:
        return None
    return work.copied(turned._replace(shape=(flat[0], *rest)), "copy with the indexed dimensions in front")


def _indexed_scratch(query: ScratchQuery) -> int:
    """Indexing by arrays: the positions, checked and put together."""
    return 2 * sum(query.inputs[1:])


def _inc_indexed_scratch(query: ScratchQuery) -> int:
    """Increments at places that are given as arrays: the positions, checked and put together."""
    return 2 * sum(query.inputs[2:])


def _diagonal_scratch(query: ScratchQuery) -> int:
    """FillDiagonal: a position for each element of the diagonal."""
    return 8 * isqrt(sum(query.outputs))


def _index_parameters(groups: Groups) -> Params:
    """`{int64:int64:, int64}`, `{start:stop}`, `{InplaceSet;:int64:}`."""
    body = groups[0][1] if groups else ""
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


def _advanced_inc_parameters(groups: Groups) -> Params:
    """`{inplace,set}`, `{inplace=False,  set_instead_of_inc=True}`."""
    params = generic(groups)
    args = params.pop("args", [])
    if isinstance(args, list) and args and args[0] in ("set", "inc"):
        params["set_instead_of_inc"] = args[0] == "set"
    return params


def _subtensor_value(node: Node) -> list[KnownArray]:
    """Subtensor of a small array."""
    (array,) = needed(node, 0)
    shape, places = _indexed(node, array.shape, 1)
    return [KnownArray(shape, tuple(array.items[p] for p in places))]


def _set_subtensor_value(node: Node) -> list[KnownArray]:
    """IncSubtensor and SetSubtensor of a small array."""
    array, update = needed(node, 0, 1)
    shape, places = _indexed(node, array.shape, 2)
    if len(update.shape) > len(shape):
        raise NoValue
    if not fits(update.shape, shape):
        raise NoValue
    items, replace = list(array.items), node.flag("set_instead_of_inc")
    for place, at in zip(places, positions(shape)):
        value = update.items[offset_of(update.shape, at)]
        items[place] = value if replace else items[place] + value
    return [KnownArray(array.shape, tuple(items))]


def _indexed(node: Node, shape: tuple[int, ...], first: int) -> tuple[tuple[int, ...], list[int]]:
    """Shape of what the indices (inputs from `first` on) select from an array of `shape`, and the flat indices of its elements."""
    index = [_plain_index(entry) for entry in entries(node, first)]
    if len(index) > len(shape) or any(not -n <= i < n if isinstance(i, int) else i.step == 0 for n, i in zip(shape, index)):
        raise NoValue
    taken = [range(n)[i] for n, i in zip(shape, index)] + [range(n) for n in shape[len(index) :]]
    selected = tuple(len(t) for t in taken if isinstance(t, range))
    if not is_small(selected):
        raise NoValue
    return selected, [offset_of(shape, at) for at in itertools.product(*((t,) if isinstance(t, int) else t for t in taken))]


def _plain_index(entry: Entry) -> int | slice:
    parts = list(entry) if isinstance(entry, Slice) else [entry]
    if any(isinstance(p, (Unknown, Bound)) for p in parts):
        raise NoValue
    numbers = [None if p is None or isinstance(p, Unknown) else int(p) for p in parts]
    return slice(*numbers) if isinstance(entry, Slice) else int(numbers[0] or 0)


def _take_value(node: Node) -> list[KnownArray]:
    """AdvancedSubtensor1: elements of a small vector by number."""
    vector, rows = needed(node, 0, 1)
    if len(vector.shape) != 1 or not all(-len(vector.items) <= r < len(vector.items) for r in rows.items):
        raise NoValue
    return [KnownArray(rows.shape, tuple(vector.items[int(r)] for r in rows.items))]


def _rows_by_number_agrees(node: Node) -> Equal:
    """AdvancedSubtensor1: as many rows as row numbers, each as long as before."""
    yield 1, 0, OUT, 0, 1
    yield 0, 1, OUT, 1, rank_of(node, 0) - 1


def _subtensor_agrees(node: Node) -> Equal:
    """Subtensor: dimensions that are taken whole keep their length."""
    index, out = entries(node, 1), 0
    for k in range(rank_of(node, 0)):
        entry = index[k] if k < len(index) else Slice(None, None, None)
        if isinstance(entry, Slice):
            if entry.start is None and entry.stop is None and entry.step in (None, 1, -1):
                yield 0, k, OUT, out, 1
            out += 1


def _advanced_agrees(node: Node) -> Equal:
    """AdvancedSubtensor with an array of integers for each dimension: constant index arrays agree with the output.

    numpy broadcasts the index arrays, also at run time, so only those whose shape is known beforehand tell something.
    """
    rank, index = out_rank(node), range(1, node.n_inputs)
    if len(index) != rank_of(node, 0) or not all((node.type(i).dtype or "").startswith(("int", "uint")) for i in index):
        return
    for i in index:
        own = rank_of(node, i)
        if not isinstance(node.state.graph.variables[node.apply.inputs[i]], Constant):
            continue
        if own <= rank:
            yield i, 0, OUT, rank - own, own


OPS = (
    OpSpec("AdvancedBooleanIncSubtensor", shape=Like(0), dtype=as_input(0), gpu_memory=new_array,
        gpu=GpuLowering("GpuAdvancedBooleanIncSubtensor")),
    OpSpec("AdvancedBooleanSubtensor", shape=advanced, dtype=as_input(0), gpu_memory=advanced_memory,
        gpu=GpuLowering("GpuAdvancedBooleanSubtensor")),
    OpSpec("AdvancedIncSubtensor", integers_from=2, printed_as={"AdvancedSetSubtensor": {"set_instead_of_inc": True}}, shape=Like(0),
        dtype=as_input(0), gpu_memory=new_array, xla_scratch=_inc_indexed_scratch, printed_parameters=_advanced_inc_parameters,
        gpu=GpuLowering("GpuAdvancedIncSubtensor", host_inputs_from=2)),
    OpSpec("AdvancedIncSubtensor1", input_ranks=(None, None, 1), integers_from=2,
        printed_as={"AdvancedSetSubtensor1": {"set_instead_of_inc": True}}, shape=Like(0), dtype=as_input(0),
        gpu_memory=inc_rows_by_number_memory, xla_scratch=_inc_indexed_scratch, printed_parameters=_advanced_inc_parameters,
        gpu=GpuLowering("GpuAdvancedIncSubtensor1", cast_to_int64=2)),
    OpSpec("AdvancedIncSubtensor1_dev20", integers_from=2, shape=Like(0), dtype=as_input(0), gpu_memory=inc_rows_by_number_memory,
        printed_parameters=_advanced_inc_parameters),
    OpSpec("IncDiagonalSubtensor", integers_from=2, shape=Like(0), dtype=as_input(0)),
    OpSpec("AdvancedSubtensor1", input_ranks=(None, 1), integers_from=1, integer_arithmetic=True, shape=rows_by_number,
        value=_take_value, agrees=_rows_by_number_agrees, dtype=as_input(0), gpu_memory=rows_by_number_memory, xla_scratch=_indexed_scratch,
        gpu=GpuLowering("GpuAdvancedSubtensor1", cast_to_int64=1)),
    OpSpec("IncSubtensor", scalars_from=2, integers_from=2, fills_scan_buffer=True,
        printed_as={"SetSubtensor": {"set_instead_of_inc": True}}, shape=Like(0), value=_set_subtensor_value, dtype=as_input(0),
        gpu_memory=inc_subtensor_memory, printed_parameters=_index_parameters, gpu=GpuLowering("GpuIncSubtensor", host_inputs_from=2)),
    OpSpec("ScalarSubtensor", integers_from=1, shape=subtensor, value=_subtensor_value, agrees=_subtensor_agrees, dtype=as_input(0),
        printed_parameters=_index_parameters),
    OpSpec("DiagonalSubtensor", integers_from=1, shape=along_diagonal, dtype=as_input(0)),
    OpSpec("Subtensor", scalars_from=1, integers_from=1, integer_arithmetic=True, rearranges=True, views_input=True, part_of_input=True,
        shape=subtensor, value=_subtensor_value, agrees=_subtensor_agrees, dtype=as_input(0), memory=subtensor_memory,
        gpu_memory=subtensor_memory, printed_parameters=_index_parameters, gpu=GpuLowering("GpuSubtensor", host_inputs_from=1)),
    OpSpec("AdvancedSubtensor", integers_from=1, shape=advanced, agrees=_advanced_agrees, dtype=as_input(0), gpu_memory=advanced_memory,
        xla_scratch=_indexed_scratch, gpu=GpuLowering("GpuAdvancedSubtensor", host_inputs_from=1)),
    OpSpec("FillDiagonal", shape=Like(0), dtype=as_input(0), xla_scratch=_diagonal_scratch, gpu=GpuLowering(stays_on_host=True)),
    OpSpec("FillDiagonalOffset", shape=Like(0), dtype=as_input(0), gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Nonzero", shape=nonzero, dtype=always(INDEX), gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Choose", integer_input=0, shape=choose, dtype=as_input(0)),
    OpSpec("MakeSlice", integers_from=0, no_array=True),
    OpSpec("UnravelIndex", integers_from=0, shape=Like(0), dtype=always(INDEX)),
    *alike("Count Index Length", shape=scalar, dtype=always(INDEX)),
    OpSpec("Default", shape=Like(0), dtype=as_input(0)),
    OpSpec("RavelMultiIndex", shape=Like(0), dtype=always(INDEX)),
)  # fmt: skip
"""The catalogue entries of this family of Ops."""
