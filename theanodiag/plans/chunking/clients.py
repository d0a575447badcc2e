"""Determines from the graphs how functions read a shared variable, and so whether it can be split along an axis."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from ...ir import Apply, Constant, FunctionGraph, GraphInput, Unknown
from ...memory.script import Call, CompiledFunction, Script
from ...ops import op_info

SIZES = ("Shape", "Shape_i")
"""Ops that read only the shape."""


class CutKind(enum.Enum):
    """How a shared variable can be split."""

    ROWS = "rows"
    """It is read by slices or row numbers: training data, or the rows of an embedding."""
    OUTPUT = "output"
    """It is a factor of a product, split along an axis of the result: the partial results are concatenated."""
    INNER = "inner"
    """It is a factor of a product, split along the summed axis: the partial results are added."""
    PARTS = "parts"
    """It is read whole, but row by row (a validation set): the function is called for each part, and the results are joined."""


@dataclass(frozen=True)
class Read:
    """One use of a shared variable that allows the variable to be split along an axis."""

    way: CutKind
    """How the variable can be cut for this use."""
    function: int
    """Index of the function."""
    variable: int
    """Id of the Variable that holds what was read."""
    axis: int | None = None
    """The axis of that Variable that holds the rows; None if a single row is read."""


class ReadWhole(Exception):
    """Raised if the variable is read or written as a whole; the message names the reader."""


def reads(script: Script, shared: int, axis: int) -> tuple[Read, ...] | Unknown:
    """Returns all reads of a shared variable, if it can be split along `axis`; otherwise Unknown with the reason."""
    all_reads: list[Read] = []
    try:
        for function in script.functions:
            for entry in function.graph.inputs:
                if entry.shared == shared:
                    _not_updated(function.graph, entry)
                    all_reads += _follow(function.graph, function.index, entry.variable, axis)
    except ReadWhole as reason:
        return Unknown(str(reason))
    return tuple(all_reads) or Unknown("no function reads it")


def reads_batches(function: CompiledFunction, shared: int) -> bool:
    """Returns whether a function reads a shared variable only at some of its rows."""
    graph = function.graph
    try:
        ways = {r.way for i in graph.inputs if i.shared == shared for r in _follow(graph, function.index, i.variable, 0)}
    except ReadWhole:
        return False
    return ways == {CutKind.ROWS}


def _not_updated(graph: FunctionGraph, entry: GraphInput) -> None:
    if entry.update is not None and graph.outputs[entry.update] != entry.variable:
        raise ReadWhole(f"{graph.name or 'a function'} updates it as a whole")


def _follow(graph: FunctionGraph, function: int, variable: int, axis: int) -> Iterator[Read]:
    """Yields the reads of a Variable that has the cut axis at `axis`."""
    if variable in graph.outputs[: graph.n_returned]:
        raise ReadWhole(f"{graph.name or 'a function'} returns it")
    for number, position in graph.clients[variable]:
        node = graph.applies[number]
        name, factors = node.op.name.removeprefix("Gpu"), op_info(node.op.name).factors
        if name in SIZES:
            continue
        if factors and position in factors:
            yield _product(graph, function, node, factors.index(position), node.inputs[position], axis)
            continue
        through = _through(graph, node, name, position, axis)
        if isinstance(through, Read):
            yield Read(through.way, function, through.variable, through.axis)
        else:
            yield from _follow(graph, function, node.outputs[0], through)


def _through(graph: FunctionGraph, node: Apply, name: str, position: int, axis: int) -> int | Read:
    """Position of the axis in the output of a node that keeps the whole axis, or the Read that the node is. Raises ReadWhole otherwise."""
    if position == 0 and (op_info(node.op.name).hands_on or (name == "Elemwise" and is_cast(node))):
        return axis
    if position == 0 and name == "DimShuffle":
        order = node.op.params.get("new_order")
        if isinstance(order, list) and axis in order:
            return order.index(axis)
    if position == 0 and name == "AdvancedSubtensor1" and axis == 0:
        return Read(CutKind.ROWS, 0, node.outputs[0], 0)
    if position == 0 and name == "AdvancedSubtensor" and axis == 0 and graph.variables[node.inputs[1]].type.ndim == 1:
        return Read(CutKind.ROWS, 0, node.outputs[0], 0)
    if position == 0 and name == "Subtensor":
        return _sliced(graph, node, axis)
    raise ReadWhole(f"{node.op.name} in {graph.name or 'a function'} reads it as a whole")


def is_cast(node: Apply) -> bool:
    """Returns whether a node converts its only input to another dtype, entry by entry."""
    return len(node.inputs) == 1 and node.op.params.get("scalar_op") in ("Cast", "Identity")


def _sliced(graph: FunctionGraph, node: Apply, axis: int) -> int | Read:
    """Position of the axis after basic indexing that keeps all of it, or a Read if the caller gives the slice or row number."""
    entries = node.op.params.get("idx_list")
    if not isinstance(entries, list):
        raise ReadWhole(f"it is not known how {node.op.name} slices it")
    given = iter(node.inputs[1:])
    rows = [[_fixed(graph, part, given) for part in parts(entry)] for entry in entries]
    kept = [k for k, e in enumerate(entries) if isinstance(e, dict)]
    where = axis - sum(1 for k in range(min(axis, len(entries))) if k not in kept)
    if axis >= len(entries) or (axis in kept and all(r is None for r in rows[axis])):
        return where
    if all(r is not False for r in rows[axis]):
        raise ReadWhole(f"{graph.name or 'a function'} always reads the same rows of it")
    return Read(CutKind.ROWS, 0, node.outputs[0], where if axis in kept else None)


def parts(entry: object) -> list[object]:
    """Returns [start, stop, step] of a slice entry of `idx_list`; a list of one value for an index."""
    bounds = entry.get("slice") if isinstance(entry, dict) else [entry]
    return list(bounds) if isinstance(bounds, list) else [None]


def _fixed(graph: FunctionGraph, part: object, given: Iterator[int]) -> bool | None:
    """Whether a part of an index is fixed in the graph; None if it is omitted, False where it is computed."""
    if part is None:
        return None
    return isinstance(graph.variables[next(given)], Constant) if part == "i" else True


def _product(graph: FunctionGraph, function: int, node: Apply, factor: int, variable: int, axis: int) -> Read:
    """The Read by a product whose factor number `factor` (0 or 1) is the variable."""
    inner = graph.variables[variable].type.ndim - 1 if factor == 0 else 0
    out = node.outputs[0]
    if axis == inner:
        if node.op.name.endswith(("Gemm", "Gemv")) or not _stands_for_itself(graph, out):
            raise ReadWhole(f"{graph.name or 'a function'} uses its products before their parts could be added")
        return Read(CutKind.INNER, function, out)
    at = 0 if factor == 0 else graph.variables[out].type.ndim - 1
    _stays_apart(graph, out, at)
    return Read(CutKind.OUTPUT, function, out, at)


def _stands_for_itself(graph: FunctionGraph, variable: int) -> bool:
    """Whether a Variable is only returned to the caller, possibly after copying it to the host."""
    nodes = [graph.applies[n] for n, _ in graph.clients[variable]]
    if not nodes:
        return variable in graph.outputs[: graph.n_returned]
    return all(op_info(n.op.name).hands_on and _stands_for_itself(graph, n.outputs[0]) for n in nodes)


def _stays_apart(graph: FunctionGraph, variable: int, axis: int) -> None:
    """Raises ReadWhole if parts along an axis are mixed before they are returned: only elementwise Ops keep them separate."""
    for number, position in graph.clients[variable]:
        node = graph.applies[number]
        name = node.op.name.removeprefix("Gpu")
        order = node.op.params.get("new_order")
        if op_info(node.op.name).hands_on or name == "Elemwise":
            _stays_apart(graph, node.outputs[0], axis)
        elif name == "DimShuffle" and isinstance(order, list) and axis in order:
            _stays_apart(graph, node.outputs[0], order.index(axis))
        elif name == "Subtensor" and position == 0 and isinstance(at := _sliced(graph, node, axis), int):
            _stays_apart(graph, node.outputs[0], at)
        elif name not in SIZES:
            raise ReadWhole(f"{node.op.name} in {graph.name or 'a function'} mixes the parts of a product with it")


def rows_read(script: Script, row_reads: tuple[Read, ...]) -> int | None:
    """Returns the greatest number of rows that a call reads, which is the batch; None if it is unknown."""
    most = 0
    for event in script.events:
        for read in row_reads if isinstance(event, Call) else ():
            if isinstance(event, Call) and read.function == event.function:
                shape = event.shapes.shape(read.variable)
                n = 1 if read.axis is None else None if isinstance(shape, Unknown) else shape[read.axis]
                if not isinstance(n, int):
                    return None
                most = max(most, n)
    return most or None
