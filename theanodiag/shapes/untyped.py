"""Infers facts from the names and inputs of Ops, for texts that print no types: where values are stored (host, device, scalar), which
are integers, and which inputs of a Scan are read step by step.

Sequences and recurrences come first among the outer inputs of a Scan; where they end is found by trial: the graph of one step must be
consistent, and its outputs must fit the buffers into which they are written.
Sources: Theano 1.0.5 scan_module/scan_op.py, PyTensor 3.3.7 scan/op.py.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from operator import is_not
from typing import NamedTuple

from ..ir import Apply, FunctionGraph, Op, Shape, ShapeTable, TypeKind, Unknown, Variable
from ..ir.graph import FED_BY
from ..ir.scan import has_scan_layout
from ..ops import is_buffer, op_info
from ..ops.control import numbered
from ..ops.registry import by_name
from ..ops.scalars import is_truth
from .consistency import product_disagrees
from .infer import infer

_STEP = re.compile(r"\[t(?:[-+]\d{1,3})?\]$")
_NUMBERED = re.compile(r"\*?\*?i?\d+")
MAX_TRIES = 24
"""Maximum number of positions at which the step-by-step inputs of a Scan are assumed to end."""


class Stepped(NamedTuple):
    """Which outer input of a Scan feeds each inner input, and which are read step by step."""

    fed_by: Mapping[int, int]
    """Inner input Variable -> position of the outer input that feeds it."""
    last: int
    """Position of the last outer input that is read step by step."""
    table: ShapeTable
    """Shapes in one step of the Scan."""


def stepped(graph: FunctionGraph, node: Apply, table: ShapeTable) -> Stepped | None:
    """Finds out how the Scan `node` reads its inputs, as the most likely possibility; None if the links of its inputs or their shapes are
    unknown.
    """
    inner = node.op.inner
    fed = fed_by(inner, len(node.inputs)) if inner is not None else None
    outer = [table.shape(v) for v in node.inputs]
    if inner is None or fed is None or any(isinstance(outer[p], Unknown) for p in fed.values()):
        return None
    end = next((p for p in range(1, len(outer)) if outer[p] == () or (isinstance(outer[p], Unknown) and p in fed.values())), len(outer))
    best: tuple[object, Stepped] | None = None
    for last in range(min(end, MAX_TRIES)):
        reading = Stepped(fed, last, infer(inner, dict(_shapes(fed, outer, last))))
        score = _score(graph, node, inner, reading, outer, table)
        if best is None or score > best[0]:  # type: ignore[operator]
            best = score, reading
    return None if best is None else best[1]


def fed_by(inner: FunctionGraph, n_outer: int) -> dict[int, int] | None:
    """Returns inner input Variable -> position of the outer input that feeds it; None if the text does not show it.

    Numbered inner inputs have the order of the outer inputs, so of several candidates the next one is taken. An inner input that links to
    another Scan (PyTensor 3.3 prints inputs that both have only once) is fed by the next outer input that no other inner input names.
    """
    rows = inner.info.get(FED_BY)
    if not isinstance(rows, list) or len(rows) != len(inner.inputs):
        return None
    names = [inner.variables[i.variable].name or "" for i in inner.inputs]
    named, numbered = {p for places in rows for p in places}, all(map(_NUMBERED.match, names))
    positions: dict[int, int] = {}
    at = 0
    for entry, name, places in zip(inner.inputs, names, rows):
        if not places:
            places = [p for p in range(at + 1, n_outer) if p not in named and numbered]
        if not places:
            return None
        if numbered:
            at = next((p for p in places if p >= at), places[-1])
        elif _STEP.search(name):
            at = places[0]
        else:
            at = next((p for p in reversed(places) if p not in positions.values()), places[-1])
        positions[entry.variable] = at
    return positions


def _shapes(fed: Mapping[int, int], outer: Sequence[Shape | Unknown], last: int) -> Iterator[tuple[int, Shape]]:
    for v, p in fed.items():
        shape = outer[p]
        if not isinstance(shape, Unknown):
            yield v, shape[1:] if p <= last else shape


def _score(
    graph: FunctionGraph, node: Apply, inner: FunctionGraph, reading: Stepped, outer: Sequence[Shape | Unknown], table: ShapeTable
) -> tuple[object, ...]:
    """Sort key for how well a reading fits: names and types of inner inputs, consistency of the nodes inside, fit of the buffers."""
    results = [reading.table.shape(v) for v in inner.outputs]
    ends = [results.pop()] if node.op.params.get("as_while") is True and results else []
    unknown = sum(isinstance(s, Unknown) for s in reading.table.shapes.values())
    written = max(_written(graph, node, reading.last, results, outer, table), default=(False,))
    wrong = sum(isinstance(s, tuple) and s != () for s in ends)  # a stopping condition is a scalar
    return (-_misnamed(inner, reading, outer), -_disagreeing(inner, reading.table) - wrong, -unknown, *written)


def _misnamed(inner: FunctionGraph, reading: Stepped, outer: Sequence[Shape | Unknown]) -> int:
    """Number of inner inputs whose name or type contradicts the reading."""
    wrong = 0
    for v, p in reading.fed_by.items():
        variable, shape = inner.variables[v], outer[p]
        name = variable.name or ""
        wrong += _STEP.search(name) is not None and p > reading.last
        if variable.type.text and variable.type.has_shape and not isinstance(shape, Unknown):
            wrong += variable.type.ndim != len(shape) - (p <= reading.last)
    return wrong


def _disagreeing(inner: FunctionGraph, table: ShapeTable) -> int:
    """Number of nodes whose inputs' shapes contradict each other."""
    wrong = 0
    for node in inner.applies:
        name, shapes = node.op.name.removeprefix("Gpu"), [table.shape(v) for v in node.inputs]
        factors = op_info(name).factors
        if factors is not None and len(shapes) > max(factors):
            first, second = (shapes[p] for p in factors)
            wrong += product_disagrees(first, second) or () in (first, second)
        elif name == "Elemwise" or node.op.params.get("scalar_text"):
            wrong += not _broadcast([s for s in shapes if not isinstance(s, Unknown)])
    return wrong


def _broadcast(shapes: Sequence[Shape]) -> bool:
    """Whether the shapes have equal numbers of dimensions, and lengths that are equal or 1."""
    if len({len(s) for s in shapes}) > 1:
        return False
    return all(len({d for d in column if isinstance(d, int)} - {1}) < 2 for column in zip(*shapes))


def _written(
    graph: FunctionGraph, node: Apply, last: int, results: Sequence[Shape | Unknown], outer: Sequence[Shape | Unknown], table: ShapeTable
) -> Iterator[tuple[bool, int, int, int]]:
    """Yields a rank for each split of a Scan's inputs into sequences, recurrences, states and lengths; the largest is the best."""
    n, steps = len(results), table.values.get(node.inputs[0])
    is_buffer = [_is_buffer(graph, v) for v in node.inputs]
    long = [isinstance(s, tuple) and s[:1] == (steps,) for s in outer]
    for seqs in range(last + 1):
        recurrences = last - seqs
        for states in range(n - recurrences + 1):
            lengths = range(last + states + 1, last + states + 1 + n - recurrences - states)
            fits = lengths.stop <= len(outer) and all(outer[p] == () for p in lengths)
            fits = fits and last + states < len(outer)
            fits = fits and all(_alike(results[k], outer[seqs + 1 + k], 1) for k in range(recurrences))
            fits = fits and all(_alike(results[n - states + k], outer[last + 1 + k], 0) for k in range(states))
            buffers = sum(is_buffer[seqs + 1 : last + 1])
            yield fits, 2 * buffers - recurrences, sum(long[1 : seqs + 1]) - sum(not x for x in long[1 : seqs + 1]), -states


def _alike(result: Shape | Unknown, outer: Shape | Unknown, less: int) -> bool:
    if isinstance(result, Unknown) or isinstance(outer, Unknown):
        return True
    known = [(a, b) for a, b in zip(result, outer[less:]) if isinstance(a, int) and isinstance(b, int)]
    return len(outer) == len(result) + less and all(a == b for a, b in known)


def _is_buffer(graph: FunctionGraph, variable: int) -> bool:
    """Whether a Variable, or what it is a part of, was created to be written into."""

    def maker(v: int) -> tuple[str, Sequence[int]] | None:
        owner = graph.variables[v].owner
        return None if owner is None else (graph.applies[owner].op.name, graph.applies[owner].inputs)

    return is_buffer(variable, maker)


def device_of(graph: FunctionGraph) -> TypeKind:
    """Returns the kind of a graph's device arrays: GPUARRAY, or CUDANDARRAY for the back-end that Theano 1.0 removed.

    The Ops of the removed back-end are printed without a context name and without `gpuarray`.
    """
    texts = [n.op.text for n in graph.applies if n.op.name.lower().startswith(("gpu", "hostfromgpu"))]
    if any("gpuarray" in t or "<" in t or "context_name" in t or t.startswith("GPUA_") for t in texts):
        return TypeKind.GPUARRAY
    bare = any(t in ("HostFromGpu", "GpuFromHost") for t in texts)
    return TypeKind.CUDANDARRAY if bare or TypeKind.CUDANDARRAY in graph.kinds else TypeKind.GPUARRAY


def inputs_on_device(graph: FunctionGraph, whole: set[int]) -> set[int]:
    """Returns the ids of the Variables that Ops read from the device, except those in `whole`, which are lengths and positions and are
    stored on the host.
    """
    variables: set[int] = set()
    for node in graph.applies:
        name = node.op.name
        reads = name.startswith(("Gpu", "GPUA_")) and name != "GpuFromHost"
        if reads or name == "HostFromGpu":
            host = op_info(name).gpu.host_inputs
            variables.update(v for i, v in enumerate(node.inputs) if i not in host)
    return variables - whole


def generators(graph: FunctionGraph) -> set[int]:
    """Returns the ids of the Variables that are states of random generators, before and after a draw."""
    variables: set[int] = set()
    for node in graph.applies:
        at = 1 if node.op.name == "RandomVariableWithCoreShape" else 0
        if is_draw(node.op.name):
            variables.update((*node.inputs[at : at + 1], *node.outputs[:1]))
    return variables


def is_draw(name: str) -> bool:
    """Returns whether Ops of class `name` draw from a random generator and return its next state."""
    return name in ("RandomFunction", "RandomVariableWithCoreShape") or name.endswith("RV")


def place_of(op: Op, inputs: Sequence[TypeKind | None], device: TypeKind, output: int = 0) -> TypeKind:
    """Returns where output number `output` of a node is stored, according to the kinds of the node's inputs."""
    name = op.name
    if name.startswith(("Gpu", "GPUA_")):
        return device
    if name in ("ScalarFromTensor", "ScalarSubtensor"):
        return TypeKind.SCALAR
    if op_info(name).on_either_side and inputs and inputs[0] is not None:
        return inputs[0]
    if name in ("IfElse", "LazyIfElse") and len(inputs) > 1 + output:
        return inputs[1 + output] or TypeKind.TENSOR
    if op_info(name).makes_sparse:
        return TypeKind.SPARSE
    if op_info(name).no_array:
        return TypeKind.OTHER
    scalar = name == "Elemwise" or op_info(name).shape is None
    return TypeKind.SCALAR if scalar and inputs and set(inputs) == {TypeKind.SCALAR} else TypeKind.TENSOR


Known = dict[int, set[int]]
"""Integer Variables by the `id()` of their graph: many nodes may share an inner graph."""


def whole_numbers(graph: FunctionGraph, known: Known) -> set[int]:
    """Returns the ids of the Variables that must be, or are assumed to be, integers.

    It does not decide about Variables that are only cast to floats or compared with classes.
    """
    if id(graph) in known:
        return known[id(graph)]
    known[id(graph)] = whole = set[int]()
    for node in reversed(graph.applies):
        if node.op.inner is not None and node.op.name != "Elemwise":
            whole.update(_asked_inside(node, node.op.inner, known))
        op = op_info(node.op.name)
        if op.integers_from is not None:
            whole.update(node.inputs[op.integers_from :])
        elif op.integer_input is not None:
            whole.update(node.inputs[op.integer_input : op.integer_input + 1])
        elif node.op.name.endswith("RV"):
            whole.update(node.inputs[1:2])
        if op.integer_arithmetic and not whole.isdisjoint(node.outputs):
            whole.update(_counted_with(node))
    return whole


def _asked_inside(node: Apply, inner: FunctionGraph, known: Known) -> Iterator[int]:
    """Yields the inputs of `node` that its inner graph uses as integers."""
    whole = whole_numbers(inner, known)
    if not any(i.variable in whole for i in inner.inputs):
        return
    fed = fed_by(inner, len(node.inputs)) if node.op.name.endswith("Scan") else None
    for k, entry in enumerate(inner.inputs):
        at = numbered(inner, k) if fed is None else fed[entry.variable]
        if entry.variable in whole and at < len(node.inputs) and (fed is not None or not node.op.name.endswith("Scan")):
            yield node.inputs[at]


def _counted_with(node: Apply) -> Iterator[int]:
    """Yields the inputs of a node that must be integers if its output is one."""
    if node.op.name.removeprefix("Gpu") == "Elemwise" and not _keeps(str(node.op.params.get("scalar_op", ""))):
        return
    yield from node.inputs[: None if op_info(node.op.name).integers_from is None else 1]


def _keeps(scalar: str) -> bool:
    """Whether a scalar Op has an integer result only for integer arguments."""
    return scalar != "Cast" and not is_truth(scalar)


_BY_THEMSELVES = frozenset(
    form for name, op in by_name().items() if op.all_outputs is not None and name != "Elemwise" for form in (name, f"Gpu{name}")
)
"""Ops whose unprinted outputs are known without an inner graph."""


def with_unprinted(graph: FunctionGraph) -> FunctionGraph:
    """Returns a copy of `graph` (read from a text) with the outputs that the text does not print, also inside its Scans; ids of existing
    Variables stay.
    """
    if graph.op_names.isdisjoint(_BY_THEMSELVES) and not any(node.op.inner is not None for node in graph.applies):
        return graph
    variables, applies = list(graph.variables), list(graph.applies)
    for node in graph.applies:
        inner = node.op.inner
        if inner is not None and has_scan_layout(inner.info) and (new_inner := with_unprinted(inner)) is not inner:
            applies[node.id] = dataclasses.replace(node, op=dataclasses.replace(node.op, inner=new_inner))
            continue
        complete = op_info(node.op.name).all_outputs
        types = complete(graph, node) if complete is not None and node.inputs and not node.op.module else None
        outputs = list(node.outputs)
        if types is None or len(types) < len(outputs):
            continue
        if len(types) == len(outputs) and all(variables[v].type.is_printed for v in outputs):
            continue
        for kind in types[len(outputs) :]:
            outputs.append(len(variables))
            variables.append(Variable(len(variables), kind, owner=node.id))
        for v, kind in zip(outputs, types):
            variables[v] = variables[v] if variables[v].type.is_printed else dataclasses.replace(variables[v], type=kind)
        applies[node.id] = dataclasses.replace(node, outputs=tuple(outputs))
    changed = any(map(is_not, applies, graph.applies))
    return dataclasses.replace(graph, variables=tuple(variables), applies=tuple(applies)) if changed else graph
