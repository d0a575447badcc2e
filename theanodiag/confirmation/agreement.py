"""Compares prediction and measurement: each call's figures, each node's peak, the whole script."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Union

from ..agent.shapes.dimensions import broadcast
from ..findings import Figures
from ..ir import Apply, Constant, FunctionGraph, ShapeTable, TypeKind, Unknown, itemsize, nbytes, numel
from ..ir.scan import scan_info
from ..memory.profile import MemoryProfile, ProcessProfile
from ..memory.script import Call, Script
from ..memory.xla.sizes import LEAVES, NARROW, GeneratorState, address_table, is_generator, used
from .compiled import ARGUMENTS, OUTPUTS, XLA_ARGUMENTS, XLA_OUTPUTS
from .model import (
    AFTER,
    BEFORE,
    HOST_TO_DEVICE,
    PEAK,
    RESERVED,
    Bytes,
    CallMeasurement,
    CompiledWhole,
    FunctionConfirmation,
    Measured,
    NodesCompared,
    NodeVerdict,
    Timing,
    Verdict,
)


def sizes(
    graph: FunctionGraph, shapes: ShapeTable, figures: Mapping[str, Bytes], float_x: object, whole: CompiledWhole | None = None
) -> dict[str, Bytes]:
    """Predicts those of `figures` that follow from shapes alone (arguments and results). Returns name -> bytes. The sizes are JAX's if
    `figures` contains XLA's own figures, else torch's.

    `float_x` is the flag floatX; `whole`: how the compiler took the function, if it reported that.
    """
    whole = whole or CompiledWhole()
    if ARGUMENTS not in figures:
        return {}
    xla = XLA_ARGUMENTS in figures
    narrow = NARROW if xla and str(float_x) != "float64" else {}
    inputs = _typed(graph, [i.variable for i in graph.inputs], whole.arguments, narrow)
    taken = [row for k, row in enumerate(inputs) if k not in whole.constants and (not xla or used(graph, row[0]))]
    state = GeneratorState(8 if narrow == {} else 4, any(is_generator(graph, v) for v in graph.outputs)) if xla else None
    results = _typed(graph, graph.outputs, whole.results, narrow)
    arguments, outputs = total(graph, shapes, taken, state), total(graph, shapes, results, state)
    pieces = len(graph.outputs) + (LEAVES - 1) * sum(is_generator(graph, v) for v in graph.outputs)
    with_table = outputs if isinstance(outputs, Unknown) else outputs + address_table(pieces)
    return {ARGUMENTS: arguments, OUTPUTS: outputs, XLA_ARGUMENTS: arguments, XLA_OUTPUTS: with_table}


Typed = tuple[int, Union[str, None]]
"""A Variable's id and its dtype; the dtype is None if it is not an array."""


def _typed(graph: FunctionGraph, variables: Sequence[int], reported: Sequence[str | None], narrow: Mapping[str, str]) -> list[Typed]:
    """The Variables, each with the dtype that the compiler reported, else its own, narrowed by `narrow`."""
    own = [graph.variables[v].type.dtype for v in variables]
    known = reported if len(reported) == len(variables) else [None] * len(variables)
    return [(v, stated or (dtype and narrow.get(dtype, dtype))) for v, stated, dtype in zip(variables, known, own)]


def total(graph: FunctionGraph, shapes: ShapeTable, variables: Iterable[Typed], state: GeneratorState | None) -> Bytes:
    """Returns the total bytes of these Variables; Unknown if a size is. `state` has the size of a random generator's state."""
    amount = 0
    for variable, dtype in variables:
        if state is not None and is_generator(graph, variable):
            amount += state.nbytes
            continue
        if dtype is None:
            return Unknown(f"{graph.variables[variable].type.text} is not an array")
        size = nbytes(shapes.shape(variable), dtype)
        if isinstance(size, Unknown):
            return size
        amount += size
    return amount


POSITIONS = ("GpuAdvancedSubtensor", "GpuAdvancedBooleanSubtensor")
"""Ops that compute indices on the host and copy them to the device themselves (Theano 1.0.5, gpuarray/subtensor.py, `take1`)."""
NOT_MADE = Unknown("the prediction has no such call")
"""Predicted figure of a call that the predicted script did not make."""
NO_ESTIMATE = Unknown("the compiler gives no estimate before the run")


def functions(script: Script, process: ProcessProfile, measured: Measured, times: Sequence[Measured]) -> tuple[FunctionConfirmation, ...]:
    """Compares predicted and measured figures of every function that was called.

    `times` are additional runs without measurements of nodes; if there are any, wall times are taken from them.
    """
    by_function: dict[int, list[CallMeasurement]] = {}
    for call in measured.calls:
        by_function.setdefault(call.function, []).append(call)
    return tuple(_function(script, process, i, calls, measured, times) for i, calls in sorted(by_function.items()) if _known(script, i))


def _known(script: Script, index: int) -> bool:
    return index < len(script.functions)


def _function(
    script: Script, process: ProcessProfile, index: int, calls: Sequence[CallMeasurement], measured: Measured, times: Sequence[Measured]
) -> FunctionConfirmation:
    function, predicted = script.functions[index], process.calls.get(index, ())
    recorded = script.calls(index)
    rows = tuple(
        _figures(
            c, predicted[k] if k < len(predicted) else None, _of_shapes(script, function.graph, recorded[k], c) if k < len(recorded) else {}
        )
        for k, c in enumerate(calls)
    )
    nodes = _nodes(function.graph, process.functions.get(index), calls)
    return FunctionConfirmation(index, function.name, rows, nodes, timing(index, measured, times))


def _figures(call: CallMeasurement, figures: Figures | None, of_shapes: Mapping[str, Bytes]) -> tuple[Verdict, ...]:
    """Prediction and measurement of each figure of one call; a compiler's own estimate replaces our prediction."""
    predicted: dict[str, Bytes] = dict(of_shapes)
    if figures is not None and ARGUMENTS not in call.figures:  # a function that is compiled in one piece is not what is simulated
        predicted.update({BEFORE: figures.live_before_bytes, PEAK: figures.live_peak_bytes, AFTER: figures.live_after_bytes})
        predicted[RESERVED] = figures.reserved_bytes
    predicted.update(call.estimated)
    absent = NO_ESTIMATE if ARGUMENTS in call.figures else NOT_MADE
    return tuple(Verdict(name, predicted.get(name, absent), value) for name, value in call.figures.items())


def _of_shapes(script: Script, graph: FunctionGraph, call: Call, measured: CallMeasurement) -> dict[str, Bytes]:
    """The predictions that follow from the shapes of a call alone, without a simulation."""
    whole = sizes(graph, call.shapes, measured.figures, script.flags.get("floatX"), measured.whole)
    return {HOST_TO_DEVICE: _copied(graph, call.shapes), **whole}


def _copied(graph: FunctionGraph, shapes: ShapeTable) -> Bytes:
    """Bytes that the graph's transfer nodes copy to the device, including those in Scans. The arguments of kernels are not included."""
    total = 0
    for node in graph.applies:
        size: Bytes = 0
        if node.op.name == "GpuFromHost":
            size = nbytes(shapes.shape(node.inputs[0]), graph.variables[node.inputs[0]].type.dtype or "int8")
        elif node.op.name in POSITIONS:
            size = _positions(graph, shapes, node)
        elif node.op.inner is not None and node.id in shapes.inner:
            size = _in_steps(graph, node, node.op.inner, shapes)
        if isinstance(size, Unknown):
            return size
        total += size
    return total


def _in_steps(graph: FunctionGraph, node: Apply, inner: FunctionGraph, shapes: ShapeTable) -> Bytes:
    """Bytes that all steps of a Scan copy to the device."""
    info, each = scan_info(inner.info), _copied(inner, shapes.inner[node.id])
    if info is None or each == 0 or isinstance(each, Unknown):
        return each
    count = graph.variables[node.inputs[0]]
    steps = count.value if isinstance(count, Constant) else shapes.values.get(count.id)
    if info.as_while or not isinstance(steps, int):
        return Unknown("the number of steps that copy to the device depends on data")
    return steps * each


def _positions(graph: FunctionGraph, table: ShapeTable, node: Apply) -> Bytes:
    """Bytes of the indices that an advanced subtensor copies: one for each element of its index arrays broadcast together."""
    arrays = [v for v in node.inputs[1:] if graph.variables[v].type.ndim]
    dtypes = [graph.variables[v].type.dtype or "int64" for v in arrays]
    shapes = [shape for v in arrays if not isinstance(shape := table.shape(v), Unknown)]
    if "bool" in dtypes or len(shapes) < len(arrays):
        return Unknown("the number of positions depends on data")
    count = numel(broadcast(shapes))
    return count if isinstance(count, Unknown) else count * max(map(itemsize, dtypes), default=0)


def _nodes(graph: FunctionGraph, profile: MemoryProfile | None, calls: Sequence[CallMeasurement]) -> NodesCompared | Unknown:
    """Compares the predicted and the measured nodes of the call with the highest predicted peak in execution order; Unknown if they cannot
    be paired.
    """
    if profile is None or profile.call >= len(calls):
        return Unknown("the predicted call was not made")
    ran = calls[profile.call].nodes
    if not ran and graph.applies:
        return Unknown("the nodes of this function do not run one by one")
    steps = [step for step in profile.timeline if step.node is not None]
    pairs = [
        NodeVerdict(k, node.position, node.op, step.live_bytes, node.live_bytes)
        for k, (step, node) in enumerate(zip(steps, ran))
        if step.node == node.position
    ]
    same = len(pairs) == len(steps) == len(ran)
    if not same:
        return Unknown(_parted([s.node for s in steps], [n.position for n in ran]))
    different = [row for row in pairs if row.predicted != row.measured]
    return NodesCompared(len(pairs), len(pairs) - len(different), different[0] if different else None)


def _parted(predicted: Sequence[int | None], ran: Sequence[int]) -> str:
    """The reason why the nodes cannot be paired: where the predicted and the measured execution order differ first."""
    for step, (mine, theirs) in enumerate(zip(predicted, ran)):
        if mine != theirs:
            return f"the order differs: at step {step} node {theirs} ran, and node {mine} was expected"
    return f"{len(ran)} nodes ran, and {len(predicted)} were expected"


def timing(index: int, measured: Measured, times: Sequence[Measured]) -> Timing | Unknown:
    """Returns the median and range of the wall times of a function's calls, from runs without per-node measurement if there are any."""
    runs = times or (measured,)
    marked = not times and any(call.nodes for call in measured.calls)
    seconds = [c.seconds for run in runs for c in run.calls if c.function == index and not isinstance(c.seconds, Unknown)]
    if not seconds:
        return Unknown("no call was timed")
    return Timing(statistics.median(seconds), min(seconds), max(seconds), len(seconds), marked)


def highest_estimate(measured: Measured) -> int:
    """Returns the highest peak in bytes that a compiler estimated before its functions ran; 0 if none did."""
    return max((call.estimated.get(PEAK, 0) for call in measured.calls), default=0)


def judged(process: ProcessProfile, measured: Measured, available: int | None) -> ProcessProfile | None:
    """Returns the process profile with the verdict replaced by a compiler's own estimates: their highest peak, and whether it fits in
    `available` bytes.

    Returns None if a call has no such estimate, so that the simulated verdict stays. The simulation does not describe functions compiled as
    a whole.
    """
    peaks = [(call.estimated.get(PEAK), call.function) for call in measured.calls]
    known = [(peak, function) for peak, function in peaks if peak is not None]
    counts = {index: len(calls) for index, calls in process.calls.items() if calls}
    if not known or len(known) != len(peaks) or counts != {i: sum(f == i for _, f in known) for _, i in known}:
        return None
    need, function = max(known)
    fits = available is None or need <= available
    return replace(
        process, live_peak_bytes=need, reserved_peak_bytes=need, fits=fits, failure=None, failed_function=None if fits else function
    )


def process_figures(process: ProcessProfile, measured: Mapping[str, Bytes]) -> tuple[Verdict, ...]:
    """Compares predicted and measured figures of the whole process; the prediction is Unknown for figures that are not predicted."""
    predicted: dict[str, Bytes] = {"live_peak_bytes": process.live_peak_bytes, "reserved_peak_bytes": process.reserved_peak_bytes}
    unpredicted = Unknown("the interpreter, the driver and their libraries are not predicted")
    return tuple(Verdict(name, predicted.get(name, unpredicted), value) for name, value in measured.items())


def differences(predicted: Script, ran: Script) -> Iterator[str]:
    """Yields a sentence for each function whose graph in the run differs from the predicted one."""
    if len(predicted.functions) != len(ran.functions):
        yield f"{len(ran.functions)} functions were compiled, but the prediction has {len(predicted.functions)}"
    for mine, theirs in zip(predicted.functions, ran.functions):
        reason = _graphs_differ(mine.graph, theirs.graph)
        if reason:
            yield f"the graph of {mine.name} that ran is not the predicted one: {reason}"


def compiler_notes(script: Script, measured: Measured) -> Iterator[str]:
    """Yields sentences on what a compiler did differently from the graph: inputs compiled in as constants, results in wider dtypes."""
    for index, whole in dict.fromkeys((c.function, c.whole) for c in measured.calls if c.whole and _known(script, c.function)):
        graph, name = script.functions[index].graph, script.functions[index].name
        for reason in (*_compiled_anew(graph, whole), *_wider(graph, whole)):
            yield f"{name} {reason}"


def _compiled_anew(graph: FunctionGraph, whole: CompiledWhole) -> Iterator[str]:
    which = [graph.variables[graph.inputs[k].variable].name or f"input {k}" for k in whole.constants if k < len(graph.inputs)]
    if which:
        yield f"is compiled again for each value of {', '.join(which)}: JAX requires lengths and bounds of slices to be constants"


def _wider(graph: FunctionGraph, whole: CompiledWhole) -> Iterator[str]:
    own = [graph.variables[v].type.dtype for v in graph.outputs]
    wider = [(a, b) for a, b in zip(own, whole.results) if a and b and itemsize(a) < itemsize(b)]
    for mine, theirs in dict.fromkeys(wider):
        yield f"has results in {mine}, which JAX computes and gives in {theirs}"


def _graphs_differ(mine: FunctionGraph, theirs: FunctionGraph) -> str | None:
    for a, b in zip(mine.applies, theirs.applies):
        if a.op.name != b.op.name:
            return f"node {a.id} is {b.op.text}, and {a.op.text} was expected"
    if len(mine.applies) != len(theirs.applies):
        return f"it has {len(theirs.applies)} nodes, and {len(mine.applies)} were expected"
    kinds: tuple[set[TypeKind], set[TypeKind]] = ({v.type.kind for v in mine.variables}, {v.type.kind for v in theirs.variables})
    return None if kinds[0] == kinds[1] else "its values are elsewhere"


def same_figures(first: Measured, second: Measured) -> str | None:
    """Returns a sentence about the first figure that differs between runs with and without per-node measurement; None if all are equal."""
    for a, b in zip(first.calls, second.calls):
        for name, value in a.figures.items():
            other = b.figures.get(name)
            if isinstance(value, int) and isinstance(other, int) and (a.function, a.call) == (b.function, b.call) and value != other:
                return f"{name} of function {a.function}, call {a.call}: {value} while the nodes were observed, {other} while not"
    return None
