"""Scan: its outputs for all steps, and what its inner function keeps between steps and calls."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.ir import Constant, FunctionGraph, Op, ShapeTable, Type, TypeKind
from theanodiag.memory.script import Call, Script
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.memory.vm import Scan

from ..graphs import EXACT, PLAIN, Sketch

UNIT = 16
"""Bytes of a row of four float32."""
STEPS = 10
NUMBER = Type(TypeKind.TENSOR, "int64", ())
INFO = {
    "kind": "scan", "n_seqs": 0, "n_mit_sot": 0, "n_sit_sot": 0, "n_nit_sot": 0, "n_shared_outs": 0, "as_while": False,
    "mit_mot_in_slices": [], "mit_mot_out_slices": [], "mit_sot_in_slices": [], "sit_sot_in_slices": [],
}  # fmt: skip


def inner(nodes: int, **info: object) -> tuple[FunctionGraph, ShapeTable]:
    """An inner graph: one argument of a row, and `nodes` nodes in a row."""
    s = Sketch()
    last = s.argument((1, 4), s_type())
    for _ in range(nodes):
        (last,) = s.apply(PLAIN, [last], (1, 4))
    return replace(s.graph([last]), info={**INFO, **info}), s.table()


def s_type() -> Type:
    """A row on the device."""
    return Type(TypeKind.GPUARRAY, "float32", (None, None))


def script(
    graph: FunctionGraph,
    table: ShapeTable,
    inputs: list[tuple[int, ...]],
    result: tuple[int, ...],
    in_place: bool,
    calls: int,
    steps: int = STEPS,
) -> Script:
    """A function that is just the scan, on shared variables."""
    s = Sketch()
    s.variables.append(Constant(0, NUMBER, value=steps))
    s.shapes[0] = ()
    op = Op("Scan", "for{gpu}", inner=graph, destroy_map={0: (1,)} if in_place else {})
    sources = [s.shared(shape) for shape in inputs]
    (out,) = s.apply(op, [0, *sources], result)
    done = s.script([out], calls=calls)
    events = [replace(e, shapes=replace(e.shapes, inner={0: table})) if isinstance(e, Call) else e for e in done.events]
    return replace(done, events=tuple(events))


def rows(made: Script, settings: MemorySettings = EXACT) -> list[tuple[int, int, int]]:
    """Before, peak and after of each call, in rows."""
    calls = simulate(made, settings).calls[0]
    return [(f.live_before_bytes // UNIT, f.live_peak_bytes // UNIT, f.live_after_bytes // UNIT) for f in calls]


def test_a_map_keeps_one_result_of_each_step() -> None:
    """Ten rows of output; between steps two intermediates and the first step's own result."""
    graph, table = inner(3, n_seqs=1, n_nit_sot=1)
    made = script(graph, table, [(STEPS, 1, 4)], (STEPS, 1, 4), in_place=False, calls=2)
    made = with_length(made)
    assert rows(made) == [(10, 10 + 10 + 3, 10), (10, 10 + 10 + 3, 10)]


def test_each_step_asks_the_driver_as_often() -> None:
    """Steps that are not simulated since they repeat the last one are counted too."""
    graph, table = inner(3, n_seqs=1, n_nit_sot=1, allow_gc=True)
    lengths = (5, 6, 50, 500)
    scripts = (script(graph, table, [(n, 1, 4)], (n, 1, 4), in_place=False, calls=1, steps=n) for n in lengths)
    five, six, fifty, many = (simulate(with_length(made), EXACT).driver_requests for made in scripts)
    assert six > five
    assert (fifty - five, many - fifty) == (45 * (six - five), 450 * (six - five))


@pytest.mark.parametrize("steps", [5, 100, 101, 500])
def test_steps_that_repeat_in_rounds_are_simulated_for_two_rounds(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gradient that has two buffers in turn repeats every second step; the last step simulated is the one that the loop ends with."""
    graph, table = inner(0, n_seqs=1, n_nit_sot=1)
    made = with_length(script(graph, table, [(steps, 1, 4)], (steps, 1, 4), in_place=False, calls=1, steps=steps))
    alone, done = simulate(made, EXACT).driver_requests, [0]

    def asked(scan: Scan) -> None:
        scan.inner.store.allocator.driver_requests += (5, 7, 11)[done[0] % 3]
        done[0] += 1

    monkeypatch.setattr(Scan, "inputs", asked)
    monkeypatch.setattr(Scan, "fingerprint", lambda scan: done[0] % 3)
    requests = simulate(made, EXACT).driver_requests
    assert done[0] == min(steps, 5 + (steps - 5) % 3)
    assert requests == alone + sum((5, 7, 11)[k % 3] for k in range(steps))


def with_length(made: Script) -> Script:
    """The scan's last input says how long its output is."""
    function = made.functions[0]
    node = function.graph.applies[0]
    graph = replace(function.graph, applies=(replace(node, inputs=(*node.inputs, 0)),))
    return replace(made, functions=(replace(function, graph=graph),))


@pytest.mark.parametrize(("in_place", "peak"), [(True, 11 + 1), (False, 11 + 11 + 1)])
def test_a_recurrence_works_in_its_initial_state_or_in_a_copy(in_place: bool, peak: int) -> None:
    """Room for the state and ten steps; the inner result is written into it from the second step on."""
    graph, table = inner(1, n_sit_sot=1, sit_sot_in_slices=[[-1]])
    made = script(graph, table, [(STEPS + 1, 1, 4)], (STEPS + 1, 1, 4), in_place, calls=1)
    assert rows(made) == [(11, peak, 11)]


def test_without_gc_the_inner_function_keeps_its_intermediates_between_calls() -> None:
    """With it they are freed when the scan is done."""
    graph, table = inner(3, n_sit_sot=1, sit_sot_in_slices=[[-1]])
    made = script(graph, table, [(STEPS + 1, 1, 4)], (STEPS + 1, 1, 4), in_place=True, calls=2)
    assert [after for _, _, after in rows(made)] == [11, 11]
    assert [after for _, _, after in rows(made, MemorySettings(preallocate=-1.0, allow_gc=False))] == [13, 13]


def test_a_scan_that_collects_inside_holds_few_intermediates() -> None:
    """`scan.allow_gc`: each goes after its last use, in every step; the first step's result stays in the loop's variable for one more."""
    kept, table = inner(5, n_sit_sot=1, sit_sot_in_slices=[[-1]])
    collected = replace(kept, info={**kept.info, "allow_gc": True})
    made = [script(g, table, [(STEPS + 1, 1, 4)], (STEPS + 1, 1, 4), in_place=True, calls=1) for g in (kept, collected)]
    assert [rows(m)[0][1] for m in made] == [11 + 5, 11 + 3]


def test_a_scan_that_is_not_fully_known_gets_its_outputs() -> None:
    """A printed graph says less: no inner steps are run then."""
    graph, table = inner(3, n_seqs=1, n_nit_sot=1)
    less = replace(graph, info={"kind": "scan"})
    made = with_length(script(less, table, [(STEPS, 1, 4)], (STEPS, 1, 4), in_place=False, calls=1))
    assert rows(made) == [(10, 20, 10)]


def test_a_ring_of_two_is_put_in_order() -> None:
    """Room for two of ten steps, of a hundred rows each: one is copied aside at the end; the loop still holds an inner row."""
    graph, table = inner(1, n_sit_sot=1, sit_sot_in_slices=[[-1]])
    made = script(graph, table, [(2, 100, 4)], (2, 100, 4), in_place=True, calls=1)
    assert rows(made) == [(200, 301, 200)]


@pytest.mark.parametrize(("of_step", "peak"), [(True, 11 + 5 + 4), (False, 11 + 5)])
def test_steps_that_take_different_branches_keep_what_both_computed(of_step: bool, peak: int) -> None:
    """Unless the condition is the same in every step: then the loop keeps the larger one only: five rows, and not three and a copy."""
    s = Sketch()
    row, condition = s.argument((1, 4), s_type()), s.argument((), Type(TypeKind.TENSOR, "int8", ()))
    branches = []
    for nodes in (5, 3):
        last = row
        for _ in range(nodes):
            (last,) = s.apply(PLAIN, [last], (1, 4))
        branches.append(last)
    if of_step:
        (condition,) = s.apply(PLAIN, [row], (), kind=Type(TypeKind.TENSOR, "int8", ()))
    (last,) = s.apply(Op("IfElse", "if{inplace}", view_map={0: (1,)}), [condition, *branches], (1, 4))
    graph = replace(s.graph([last]), info={**INFO, "n_sit_sot": 1, "sit_sot_in_slices": [[-1]]})
    made = script(graph, s.table(), [(STEPS + 1, 1, 4)], (STEPS + 1, 1, 4), in_place=True, calls=1)
    function = made.functions[0]
    node = function.graph.applies[0]
    outer = replace(function.graph, applies=(replace(node, inputs=(*node.inputs, 0)),))
    assert rows(replace(made, functions=(replace(function, graph=outer),)))[0][1] == peak
