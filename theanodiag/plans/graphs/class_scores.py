"""Finds scores of many classes (a vocabulary), and simulates alternatives with fewer or smaller arrays.

The alternatives are a softmax over the words of the batch and a sample of the others, and targets as class numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace

from ...ir import Apply, FunctionGraph, GraphInput, Shape, ShapeTable
from ...ir.shape import nbytes
from ...memory.profile import ProcessProfile
from ...memory.script import Create, Event, Script, SetValue
from ...memory.settings import MemorySettings
from ...memory.simulate import simulate_figures
from ...ops import op_info
from .edit import with_graph, with_shapes

_OTHER_COST = re.compile(r"\b(?:sqr|abs_?|log1p|softplus)\b", re.IGNORECASE)
"""The scalar Op, or a part of the expression of a Composite, that makes a distance of a difference, or a binary cross-entropy."""
LEAST_CLASSES = 5000
"""Softmaxes over fewer classes are not examined."""
SAMPLE = 1000
"""Number of sampled words in addition to those of the batch."""


@dataclass(frozen=True)
class WideSoftmax:
    """A softmax of a function, over an array of (rows, classes)."""

    function: int
    """Index of the function."""
    variable: int
    """Id of its output."""
    rows: int
    """Rows of the softmax."""
    classes: int
    """Classes in each row."""

    @property
    def scored(self) -> int:
        """Number of classes scored with a sample: those of the rows, plus `SAMPLE` others."""
        return self.rows + SAMPLE


def find_softmaxes(script: Script, function: int, table: ShapeTable) -> Iterator[WideSoftmax]:
    """Yields the softmaxes over at least `LEAST_CLASSES` classes for which a sample would score less than a quarter of them."""
    graph = script.functions[function].graph
    seen: set[int] = set()
    for node in graph.applies:
        shape = table.shape(node.outputs[-1 if "Argmax" not in node.op.name else 1]) if "Softmax" in node.op.name else None
        if isinstance(shape, tuple) and len(shape) == 2 and isinstance(shape[0], int) and isinstance(shape[1], int):
            softmax = WideSoftmax(function, node.outputs[-1 if "Argmax" not in node.op.name else 1], shape[0], shape[1])
            if shape[1] >= LEAST_CLASSES and 4 * softmax.scored < shape[1] and shape[1] not in seen:
                seen.add(shape[1])
                yield softmax


def sampled(script: Script, softmax: WideSoftmax) -> Script:
    """Returns the script with (rows, classes) arrays reduced to the scored classes; weights and their gradients keep their size."""
    graph = script.functions[softmax.function].graph
    shared = [i.variable for i in graph.inputs if i.shared is not None]

    def reshape(table: ShapeTable) -> Mapping[int, Shape]:
        whole = {table.shape(v) for v in shared} | {tuple(reversed(s)) for v in shared if isinstance(s := table.shape(v), tuple)}
        rows = {v: s for v, s in table.shapes.items() if isinstance(s, tuple) and softmax.classes in s and s not in whole and len(s) > 1}
        return {v: tuple(softmax.scored if n == softmax.classes else n for n in s) for v, s in rows.items() if s[0] != 1}

    return with_shapes(script, softmax.function, reshape)


def upper_bound(script: Script, softmax: WideSoftmax, settings: MemorySettings) -> ProcessProfile:
    """Returns the simulation of `sampled`, with an upper bound of the bytes added that the simulation leaves out.

    These are the columns that are read, their gradients, and a gradient of each whole weight, which Theano creates if columns are read and
    need not create if the gradient is a product.
    """
    after = simulate_figures(sampled(script, softmax), settings)
    graph, table = script.functions[softmax.function].graph, script.calls(softmax.function)[0].shapes
    extra = 0
    for entry in graph.inputs:
        shape, dtype = table.shape(entry.variable), graph.variables[entry.variable].type.dtype or "int8"
        size = nbytes(shape, dtype)
        if entry.shared is not None and isinstance(shape, tuple) and softmax.classes in shape and isinstance(size, int):
            extra += size * _adds_product(graph, entry) + 2 * (size // softmax.classes) * softmax.scored
    return _larger(after, extra, settings)


def _adds_product(graph: FunctionGraph, entry: GraphInput) -> bool:
    """Whether the update of an input adds a product to it, so that no gradient of its size is made."""
    owner = None if entry.update is None else graph.variables[graph.outputs[entry.update]].owner
    return owner is not None and graph.applies[owner].op.name.removeprefix("Gpu") in ("Gemm", "Gemv", "Ger")


@dataclass(frozen=True)
class OneHotTargets:
    """An input whose rows are only combined with the scores of a softmax of the same width. Such an input usually has one-hot targets."""

    function: int
    """Index of the function."""
    input: int
    """Id of the input."""
    shared: int | None
    """Id of the shared variable that holds it; None for an argument."""
    arrays: tuple[int, ...]
    """Ids of the input and of its slices, copies and casts."""
    classes: int
    """Length of a row."""


def find_one_hot(script: Script, function: int, table: ShapeTable) -> Iterator[OneHotTargets]:
    """Yields the targets of a function that class numbers could replace: arrays of rows, of floats or integers, that no function
    updates.
    """
    graph = script.functions[function].graph
    if not any("Softmax" in name for name in graph.op_names):
        return
    scores = _from_softmaxes(graph)
    for entry in graph.inputs:
        shape = table.shape(entry.variable)
        levels = 1 if entry.shared is None else script.shared[entry.shared].levels or 1
        if entry.update is None and isinstance(shape, tuple) and len(shape) >= 2 and levels == 1:
            arrays = rows_of(graph, table, entry.variable)
            beside = [n for v in arrays for n, _ in graph.clients[v] if graph.applies[n].outputs[0] not in arrays]
            classes = shape[-1]
            scored = any(not scores.isdisjoint(graph.applies[n].inputs) for n in beside)
            suited = all(
                _is_of_targets(graph.applies[n], arrays) and not _is_of_other_cost(graph, graph.applies[n], scores) for n in beside
            )
            if isinstance(classes, int) and scored and suited:
                yield OneHotTargets(function, entry.variable, entry.shared, tuple(arrays), classes)


def _is_of_other_cost(graph: FunctionGraph, node: Apply, scores: Set[int]) -> bool:
    """Whether a node, or one that reads it, does what no cross-entropy of classes does: squares a difference, takes its absolute value or
    `log(1 - p)`, or subtracts targets from a constant (`1 - y`).
    """
    nodes = [n for n in (node, *(graph.applies[n] for v in node.outputs for n, _ in graph.clients[v])) if _is_elementwise(n)]
    alone = _is_elementwise(node) and node.op.params.get("scalar_op") == "Sub" and scores.isdisjoint(node.inputs)
    return alone or any(_OTHER_COST.search(f"{n.op.params.get('scalar_op')} {n.op.text}") for n in nodes)


def _is_elementwise(node: Apply) -> bool:
    return node.op.name.removeprefix("Gpu") == "Elemwise"


def _from_softmaxes(graph: FunctionGraph) -> set[int]:
    """Ids of the outputs of softmaxes, and of the results that elementwise Ops, copies and other shapes make of them."""
    variables: set[int] = set()
    for node in graph.applies:
        name = node.op.name.removeprefix("Gpu")
        handed_on = name in ("Elemwise", "Reshape", "DimShuffle") or op_info(node.op.name).hands_on
        if "Softmax" in name or (handed_on and not variables.isdisjoint(node.inputs)):
            variables.update(node.outputs)
    return variables


def rows_of(graph: FunctionGraph, table: ShapeTable, variable: int) -> list[int]:
    """Returns the ids of a Variable, of its rows, copies and casts, and of the Variable in the form of one matrix with all rows of batch
    and time.
    """
    rows, length = [variable], _last(table, variable)
    for v in rows:
        for number, position in graph.clients[v]:
            node = graph.applies[number]
            name = node.op.name.removeprefix("Gpu")
            cast = name == "Elemwise" and len(node.inputs) == 1 and node.op.params.get("scalar_op") in ("Cast", "Identity")
            same = name in ("Subtensor", "AdvancedSubtensor1", "Reshape", "DimShuffle") and _last(table, node.outputs[0]) == length
            if position == 0 and (op_info(node.op.name).hands_on or cast or same):
                rows.append(node.outputs[0])
    return rows


def _last(table: ShapeTable, variable: int) -> object:
    """The last length of an array."""
    shape = table.shape(variable)
    return shape[-1] if isinstance(shape, tuple) and shape else None


def _is_of_targets(node: Apply, arrays: list[int]) -> bool:
    """Whether a node uses targets as a cost does: elementwise with scores, in sums over rows, or only by their shape."""
    name = node.op.name.removeprefix("Gpu")
    return name in ("Elemwise", "Shape", "Shape_i") or (name.startswith("CAReduce") and node.inputs[0] in arrays)


def as_numbers(script: Script, targets: OneHotTargets) -> Script:
    """Returns the script with a class number for each row of the targets. Products with scores that are only added up over the classes
    become one number for each row. Other values computed from the targets are unchanged, although Theano would need less for them.
    """
    graph = script.functions[targets.function].graph
    narrowed = {*targets.arrays, *_chosen(graph, targets.arrays)}
    applies = tuple(_not_in(n, targets.arrays) for n in graph.applies)

    def narrow(table: ShapeTable) -> Mapping[int, Shape]:
        return {v: (*s[:-1], 1) for v in narrowed if isinstance(s := table.shape(v), tuple)}

    changed = with_graph(script, targets.function, replace(graph, applies=applies), narrow)
    return changed if targets.shared is None else held_as_numbers(changed, targets.shared)


def held_as_numbers(script: Script, shared: int) -> Script:
    """Returns the script in which the values of a shared variable are one number for each row."""

    def held(event: Event) -> Event:
        if isinstance(event, (Create, SetValue)) and event.shared == shared and isinstance(event.shape, tuple):
            return replace(event, shape=(*event.shape[:-1], 1))
        return event

    return replace(script, events=tuple(map(held, script.events)))


def _chosen(graph: FunctionGraph, arrays: tuple[int, ...]) -> Iterator[int]:
    """Ids of the elementwise results of targets of which only sums over the classes are used: with class numbers, a score is chosen."""
    for number in dict.fromkeys(n for v in arrays for n, _ in graph.clients[v]):
        node = graph.applies[number]
        out = node.outputs[0]
        if node.op.name.removeprefix("Gpu") == "Elemwise" and graph.clients[out] and out not in (*graph.outputs, *arrays):
            last = graph.variables[out].type.ndim - 1
            axes = [graph.applies[n].op.params.get("axis", ()) for n, _ in graph.clients[out] if op_info(graph.applies[n].op.name).reduces]
            if len(axes) == len(graph.clients[out]) and all(a is None or (isinstance(a, (list, tuple)) and last in a) for a in axes):
                yield out


def _not_in(node: Apply, arrays: tuple[int, ...]) -> Apply:
    """The node, which no longer works in place of the targets."""
    kept = {k: v for k, v in node.op.destroy_map.items() if not any(node.inputs[p] in arrays for p in v)}
    return node if len(kept) == len(node.op.destroy_map) else replace(node, op=replace(node.op, destroy_map=kept))


def _larger(after: ProcessProfile, extra: int, settings: MemorySettings) -> ProcessProfile:
    """The figures with `extra` bytes at the peaks."""
    live, reserved = after.live_peak_bytes + extra, after.reserved_peak_bytes + extra
    fits = after.fits if settings.free_bytes is None or reserved <= settings.free_bytes else False
    return replace(after, live_peak_bytes=live, reserved_peak_bytes=reserved, fits=fits)
