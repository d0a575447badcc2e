"""Advice about graphs (TD320 to TD325): quiet where the script fits, a warning where it does not, nothing for small change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.scripts import BY_CODE
from theanodiag.findings import Confidence, Severity
from theanodiag.ir import Op, Role
from theanodiag.ir.builder import GraphBuilder, on_device, tensor
from theanodiag.ir.scan import scan_counts
from theanodiag.memory.script import Call, Compile
from theanodiag.rules.examples import built, device, subject
from theanodiag.rules.impact import LEAST_BYTES, deciding_peak, is_significant, saved
from theanodiag.rules.subject import ScriptSubject

CODES = [code for code in BY_CODE if code.startswith("TD32")]
EACH = pytest.mark.parametrize("code", CODES)


def on(code: str, total: int) -> ScriptSubject:
    """The rule's own example on a device of another size."""
    return subject(BY_CODE[code].fires().script, device(total))


@EACH
def test_scripts_that_fit_get_a_hint(code: str) -> None:
    """And the saving is that of the simulation: what was reserved less what is then."""
    (found, *_) = BY_CODE[code].check(s := on(code, 80_000_000_000))
    assert found.severity is Severity.INFO
    assert found.after is not None
    assert found.saves is not None
    assert found.saves.bytes == s.process.reserved_peak_bytes - found.after.reserved_bytes > 0
    assert found.fix is not None


@EACH
def test_scripts_that_do_not_fit_get_a_warning(code: str) -> None:
    """On a device with one byte too few."""
    need = on(code, 80_000_000_000).process.reserved_peak_bytes
    (found, *_) = BY_CODE[code].check(on(code, need - 1))
    assert found.severity is Severity.WARNING


@EACH
def test_host_gets_no_more_than_a_hint(code: str) -> None:
    """There is nothing that could be too small."""
    assert all(f.severity is Severity.INFO for f in BY_CODE[code].check(subject(BY_CODE[code].fires().script)))


def test_little_is_not_worth_a_word() -> None:
    """Less than 16 MiB, or less than a tenth, where the script fits; a tenth is enough where it does not."""
    s = on("TD325", 80_000_000_000)
    less = replace(s.process, reserved_peak_bytes=s.process.reserved_peak_bytes - LEAST_BYTES + 1)
    assert saved(s, less) == LEAST_BYTES - 1
    assert not is_significant(s, less)
    assert is_significant(s, replace(less, reserved_peak_bytes=less.reserved_peak_bytes - 1))
    tenth = replace(s.process, reserved_peak_bytes=deciding_peak(s, s.process) * 19 // 20)
    assert not is_significant(replace(s, process=replace(s.process, fits=False)), tenth)


def test_of_two_loops_with_gradients_one_finding_has_the_figures_of_both() -> None:
    """A bidirectional net has two: each finding had the figures of both, which were true of none alone."""
    one = BY_CODE["TD322"].fires().script
    second = replace(one.functions[0], index=1, name="second")
    events = (*one.events, *(replace(e, function=1) for e in one.events if isinstance(e, (Call, Compile))))
    s = subject(replace(one, functions=(*one.functions, second), events=events), device(80_000_000_000))
    (found,) = BY_CODE["TD322"].check(s)
    assert found.message.startswith(f"{one.functions[0].name} and second: a gradient goes back through the steps of 2 Scans, at most 1000")
    assert found.notes == ("a Scan: 1000 steps, save_every_N=25",)
    assert found.after is not None
    alone = next(iter(BY_CODE["TD322"].check(subject(one, device(80_000_000_000))))).after
    assert alone is not None
    assert found.after.reserved_bytes == alone.reserved_bytes


def test_results_come_in_the_order_of_the_outputs() -> None:
    """Who unpacks them as before has them exchanged."""
    (found,) = BY_CODE["TD325"].check(BY_CODE["TD325"].fires())
    assert found.fix is not None
    assert found.fix.code == "outputs = [outputs[k] for k in [1, 0]]  # the order of the results too"


@pytest.mark.parametrize("trains", [False, True])
def test_an_output_of_a_function_that_trains_is_computed_before(trains: bool) -> None:
    """After the updates a separate function would return something else."""
    s = BY_CODE["TD324"].fires()
    function = s.script.functions[0]
    if trains:
        entry = replace(function.graph.inputs[0], role=Role.SHARED, shared=0, update=1)
        graph = replace(function.graph, inputs=(entry,), returned=2)
        s = replace(s, script=replace(s.script, functions=(replace(function, graph=graph),)))
    (found,) = BY_CODE["TD324"].check(s)
    assert found.fix is not None
    assert ("called before it" in str(found.fix.code)) == trains


def test_a_block_of_an_array_without_a_name_is_explained() -> None:
    """`...[i * B:(i + 1) * B]` is Python, of Ellipsis."""
    s = BY_CODE["TD320"].fires()
    function = s.script.functions[0]
    variables = tuple(replace(v, name=None) for v in function.graph.variables)
    applies = tuple(replace(n, op=replace(n.op, params={**n.op.params, "scalar_op": "Maximum"})) for n in function.graph.applies)
    graph = replace(function.graph, variables=variables, applies=applies)
    (found,) = BY_CODE["TD320"].check(replace(s, script=replace(s.script, functions=(replace(function, graph=graph),))))
    assert found.fix is not None
    assert "x: the array of 10000 rows" in str(found.fix.code)
    assert "..." not in str(found.fix.code)


@pytest.mark.parametrize(("op", "steps", "found"), [("Set;int64", 60, True), ("Inc;int64", 60, False), ("Set;int64", 5, False)])
def test_an_array_that_a_loop_fills_is_collected(op: str, steps: int, found: bool) -> None:
    """Each step passes on the whole array: as many are kept as there are steps. What is added up needs all of it."""
    one, every = on_device(60, 100, 500), on_device(steps + 1, 60, 100, 500)
    step = GraphBuilder("step")
    array, row = step.argument(None, one), step.argument(None, on_device(100, 500))
    written = step.apply(Op("GpuIncSubtensor", f"GpuIncSubtensor{{{op}}}"), [array, row], one)
    inner = step.build(written, info=scan_counts(sit_sot_in_slices=[[-1]]))
    b = GraphBuilder("fill")
    new, n = b.argument("row", on_device(100, 500)), b.constant(tensor(dtype="int64"), steps)
    empty = b.apply(Op("GpuAllocEmpty", "empty"), [n], every)
    arrays = b.apply(Op("Scan", "scan", inner=inner, destroy_map={0: (1,)}), [n, empty, new], every)
    s = subject(built(b, b.apply(Op("GpuCAReduceCuda", "sum"), [arrays], on_device())), device(8_000_000_000))
    shown = [f for f in BY_CODE["TD321"].check(s) if "passes on a whole array (60, 100, 500)" in f.message]
    assert bool(shown) == found
    for f in shown:
        assert (f.after, f.confidence, f.severity) == (None, Confidence.GUESSED, Severity.INFO)
        assert f"{steps + 1} such arrays are kept" in f.message
