"""The prediction beside the measurement."""

from __future__ import annotations

from dataclasses import replace

from theanodiag.confirmation.agreement import compiler_notes, differences, functions, judged, process_figures, same_figures
from theanodiag.confirmation.model import (
    BEFORE,
    HOST_TO_DEVICE,
    PEAK,
    Bytes,
    CallMeasurement,
    CompiledWhole,
    Measured,
    NodeMeasurement,
    NodesCompared,
    Timing,
)
from theanodiag.ir import Op, Unknown
from theanodiag.ir.builder import GraphBuilder, on_device, tensor
from theanodiag.ir.scan import scan_counts
from theanodiag.memory.profile import ProcessProfile
from theanodiag.memory.script import Call, Script
from theanodiag.memory.simulate import simulate
from theanodiag.rules.examples import built, dot_script, subject

SCRIPT = dot_script(5, 10)
PREDICTED: ProcessProfile = simulate(SCRIPT, subject(SCRIPT).settings)
PROFILE = PREDICTED.functions[0]
NODES = tuple(NodeMeasurement(s.node, "Op", s.live_bytes) for s in PROFILE.timeline if s.node is not None)
FIGURES = {BEFORE: PROFILE.figures.live_before_bytes, PEAK: PROFILE.figures.live_peak_bytes}
CALL = CallMeasurement(0, 0, FIGURES, NODES, 0.5)


def nodes_of(call: CallMeasurement) -> NodesCompared | Unknown:
    """The comparison of the nodes of one call."""
    return functions(SCRIPT, PREDICTED, Measured((call,)), ())[0].nodes


def test_equal_figures_have_no_error() -> None:
    """Every figure and every node."""
    (found,) = functions(SCRIPT, PREDICTED, Measured((CALL,)), ())
    assert [v.error_bytes for v in found.calls[0]] == [0, 0]
    assert nodes_of(CALL) == NodesCompared(len(NODES), len(NODES))


def test_the_first_node_that_parts() -> None:
    """The second of three is named, though the third parts too."""
    other = (NODES[0], *(replace(n, live_bytes=n.live_bytes + 1) for n in NODES[1:]))
    found = nodes_of(replace(CALL, nodes=other))
    assert isinstance(found, NodesCompared)
    assert found.first is not None
    assert (found.equal, found.first.step, found.first.measured - found.first.predicted) == (1, 1, 1)


def test_another_order_is_told() -> None:
    """Figures of different nodes are not compared."""
    found = nodes_of(replace(CALL, nodes=NODES[::-1]))
    assert isinstance(found, Unknown)
    assert "at step 0 node" in found.reason
    missing = nodes_of(replace(CALL, nodes=NODES[:-1]))
    assert isinstance(missing, Unknown)
    assert "nodes ran, and" in missing.reason


def test_no_nodes_ran_one_by_one() -> None:
    """Unknown, unless there are none: a function may only swap what shared variables hold."""
    assert isinstance(nodes_of(replace(CALL, nodes=())), Unknown)
    b = GraphBuilder("nothing")
    script = built(b, b.argument("x", on_device(3)))
    (found,) = functions(script, simulate(script, subject(script).settings), Measured((replace(CALL, nodes=()),)), ())
    assert found.nodes == NodesCompared(0, 0)


def test_calls_that_were_not_predicted_are_unknown() -> None:
    """Here the second one."""
    found = functions(SCRIPT, PREDICTED, Measured((CALL, replace(CALL, call=1))), ())[0]
    assert all(isinstance(v.predicted, Unknown) for v in found.calls[1])


def test_what_a_compiler_said_before_the_run_is_the_prediction() -> None:
    """XLA's own analysis."""
    found = functions(SCRIPT, PREDICTED, Measured((replace(CALL, estimated={PEAK: 7}),)), ())[0]
    assert {v.name: v.predicted for v in found.calls[0]}[PEAK] == 7


def test_times_are_those_of_runs_without_marks() -> None:
    """Where there are any."""
    again = [Measured((replace(CALL, seconds=s),)) for s in (1.0, 3.0, 2.0)]
    marked = functions(SCRIPT, PREDICTED, Measured((CALL,)), ())[0].timing
    plain = functions(SCRIPT, PREDICTED, Measured((CALL,)), again)[0].timing
    assert marked == Timing(0.5, 0.5, 0.5, 1, True)
    assert plain == Timing(2.0, 1.0, 3.0, 3, False)


def test_a_graph_that_is_another_one() -> None:
    """The first node that differs, or the number of nodes."""
    assert list(differences(SCRIPT, SCRIPT)) == []
    function = SCRIPT.functions[0]
    node = function.graph.applies[1]
    changed = replace(node, op=replace(node.op, name="GpuGemm", text="GpuGemm{no_inplace}"))
    graph = replace(function.graph, applies=(function.graph.applies[0], changed, *function.graph.applies[2:]))
    other = Script(SCRIPT.shared, (replace(function, graph=graph),), SCRIPT.events)
    assert list(differences(SCRIPT, other)) == [
        "the graph of predict that ran is not the predicted one: node 1 is GpuGemm{no_inplace}, and GpuDot22 was expected"
    ]
    assert list(differences(SCRIPT, Script({}, (), ()))) == ["0 functions were compiled, but the prediction has 1"]


def test_the_instrument_must_not_change_figures() -> None:
    """The figure that it changed is named; unknown ones say nothing."""
    first, other = Measured((CALL,)), Measured((replace(CALL, figures={**FIGURES, PEAK: 1}),))
    assert same_figures(first, first) is None
    assert PEAK in (same_figures(first, other) or "")
    assert same_figures(first, Measured((replace(CALL, figures={PEAK: Unknown("not seen")}),))) is None


def test_process_figures_that_nobody_predicts() -> None:
    """Resident memory."""
    rows = process_figures(PREDICTED, {"live_peak_bytes": PREDICTED.live_peak_bytes, "resident_peak_bytes": 5})
    assert rows[0].error_bytes == 0
    assert isinstance(rows[1].predicted, Unknown)


def test_the_verdict_is_the_compilers_where_it_spoke_of_every_call() -> None:
    """The need is the highest that it said; the function that has it is named where there is no room."""
    told = Measured((replace(CALL, estimated={PEAK: 700}),))
    room, none = judged(PREDICTED, told, 700), judged(PREDICTED, told, 699)
    assert room is not None
    assert (room.fits, room.live_peak_bytes, room.reserved_peak_bytes, room.failed_function) == (True, 700, 700, None)
    assert none is not None
    assert (none.fits, none.failed_function) == (False, 0)


def test_how_a_compiler_took_a_function_is_told_once() -> None:
    """Integers that are constants, by name, and results in wider dtypes; what is as in the graph is not told."""
    graph = SCRIPT.functions[0].graph
    first = graph.variables[graph.inputs[0].variable].name
    whole = replace(CALL, whole=CompiledWhole(constants=(0,), results=("float64",)))
    told = list(compiler_notes(SCRIPT, Measured((whole, replace(whole, call=1)))))
    assert told == [
        f"predict is compiled again for each value of {first}: JAX requires lengths and bounds of slices to be constants",
        "predict has results in float32, which JAX computes and gives in float64",
    ]
    assert list(compiler_notes(SCRIPT, Measured((CALL, replace(CALL, whole=CompiledWhole(results=("float32",))))))) == []


def test_the_simulation_stays_where_a_call_is_missing() -> None:
    """No call, one without a word, or one too many."""
    silent = Measured((replace(CALL, estimated={PEAK: 700}), CALL))
    assert [judged(PREDICTED, m, 700) for m in (Measured(()), Measured((CALL,)), silent)] == [None] * 3


def indexed(*arrays: tuple[int, ...], dtypes: tuple[str, ...] = ("int64", "int64")) -> Bytes:
    """What `W[i, j]` with positions of these shapes copies to the device, as predicted."""
    b = GraphBuilder("f")
    given = [b.argument(name, tensor(*shape, dtype=dtype)) for name, shape, dtype in zip("ij", arrays, dtypes)]
    W = b.shared("W", on_device(50, 40))
    script = built(b, b.apply(Op("GpuAdvancedSubtensor", "GpuAdvancedSubtensor"), [W, *given], on_device(7)))
    measured = Measured((replace(CALL, figures={**FIGURES, HOST_TO_DEVICE: 0}),))
    (found,) = functions(script, simulate(script, subject(script).settings), measured, ())
    return next(v.predicted for v in found.calls[0] if v.name == HOST_TO_DEVICE)


def test_positions_are_copied_by_the_op_itself() -> None:
    """One for each element that the arrays name together; it is computed on the host. Figures seen with pygpu."""
    assert indexed((7,), (7,)) == 56
    assert indexed((3, 1), (5,)) == 120
    assert indexed((7,), dtypes=("int32",)) == 28
    assert indexed((3, 1), (5,), dtypes=("int32", "int64")) == 120
    assert isinstance(indexed((7,), dtypes=("bool",)), Unknown)


def looped(steps: int | None, **info: object) -> Bytes:
    """What a Scan of so many steps, each of which takes 5 numbers to the device, copies there, as predicted."""
    step = GraphBuilder("step")
    sent = step.apply(Op("GpuFromHost", "GpuFromHost"), [step.argument("h", tensor(5))], on_device(5))
    inner = step.build(sent, info={"kind": "scan", **scan_counts(**info)})
    b = GraphBuilder("f")
    n = b.argument("n", tensor(dtype="int64")) if steps is None else b.constant(tensor(dtype="int64"), steps)
    script = built(b, b.apply(Op("Scan", "Scan", inner=inner), [n, b.argument("x", tensor(5))], on_device(5)))
    (call,) = [e for e in script.events if isinstance(e, Call)]
    call = replace(call, shapes=replace(call.shapes, inner={0: step.table()}))
    script = replace(script, events=(*script.events[:-1], call))
    measured = Measured((replace(CALL, figures={HOST_TO_DEVICE: 0}),))
    (found,) = functions(script, PREDICTED, measured, ())
    return next(v.predicted for v in found.calls[0] if v.name == HOST_TO_DEVICE)


def test_each_step_of_a_loop_copies_to_the_device() -> None:
    """As often as it runs; where data decides that, nothing is said."""
    assert looped(3) == 3 * 20
    assert looped(7) == 7 * 20
    assert isinstance(looped(None), Unknown)
    assert isinstance(looped(3, as_while=True), Unknown)
