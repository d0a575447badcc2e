"""Scan, part by part: its layout, shared states, gradients, non-sequences, conditions, and loops that make no step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.ir import FunctionGraph, GraphInput, Op, ShapeTable
from theanodiag.ir.scan import ScanInfo
from theanodiag.memory.script import Call, Script
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.memory.vm import borrowed_outputs

from ..graphs import DEVICE, EXACT, PLAIN, Sketch
from .bench import INTEGER, KEPT, number

ROW = 16
"""Bytes of four float32."""
NOTHING = {
    "kind": "scan", "n_seqs": 0, "n_mit_sot": 0, "n_sit_sot": 0, "n_nit_sot": 0, "n_shared_outs": 0, "as_while": False,
    "mit_mot_in_slices": [], "mit_mot_out_slices": [], "mit_sot_in_slices": [], "sit_sot_in_slices": [],
}  # fmt: skip
STATE = {"n_sit_sot": 1, "sit_sot_in_slices": [[-1]]}
GRADIENT = {"mit_mot_in_slices": [[0, 1]], "mit_mot_out_slices": [[1]]}


def step(*arguments: tuple[int, ...], nodes: int = 1, result: tuple[int, ...] = (1, 4), **info: object) -> tuple[FunctionGraph, ShapeTable]:
    """One step: arguments of these shapes, and `nodes` nodes in a row that end in a result."""
    s = Sketch()
    given = [s.argument(shape, DEVICE) for shape in arguments]
    last = given[0] if given else s.constant(())
    for _ in range(nodes):
        (last,) = s.apply(PLAIN, [last], result)
    return replace(s.graph([last]), info={**NOTHING, **info}), s.table()


def function(
    inner: tuple[FunctionGraph, ShapeTable], inputs: list[object], result: tuple[int, ...], in_place: bool = False, behind: bool = False
) -> Script:
    """A function that is a loop: its inputs are numbers, shapes of shared variables, or None for a number that nobody knows.

    With `behind` another node reads the loop's output, so that the loop keeps its cell.
    """
    s = Sketch()
    sources = [_source(s, given) for given in inputs]
    op = Op("Scan", "for{gpu}", inner=inner[0], destroy_map={0: (1,)} if in_place else {})
    (out,) = s.apply(op, sources, result)
    if behind:
        (out,) = s.apply(PLAIN, [out], (0, 1))
    done = s.script([out], calls=2)
    events = [replace(e, shapes=replace(e.shapes, inner={0: inner[1]})) if isinstance(e, Call) else e for e in done.events]
    return replace(done, events=tuple(events))


def _source(s: Sketch, given: object) -> int:
    if given is None:
        return s.argument((), INTEGER)
    return number(s, given) if isinstance(given, int) else s.shared(given)  # type: ignore[arg-type]


def rows(script: Script, settings: MemorySettings = EXACT) -> list[tuple[float, float, float]]:
    """Before, peak and after of each call, in rows."""
    calls = simulate(script, settings).calls[0]
    return [(f.live_before_bytes / ROW, f.live_peak_bytes / ROW, f.live_after_bytes / ROW) for f in calls]


class TestLayout:
    """How the inputs and outputs of the loop map to those of a step."""

    EVERYTHING = {
        **NOTHING, "n_seqs": 2, "n_mit_sot": 1, "n_sit_sot": 1, "n_nit_sot": 1, "n_shared_outs": 1, "as_while": True,
        "mit_mot_in_slices": [[0, 1], [0]], "mit_mot_out_slices": [[1], [0, 2]], "mit_sot_in_slices": [[-2, -1]],
        "sit_sot_in_slices": [[-1]], "vector_outs": [False, True],
    }  # fmt: skip

    def test_positions_among_the_outer_inputs(self) -> None:
        """Steps, 2 sequences, 4 states (2 mit_mot, 1 mit_sot, 1 sit_sot), 1 shared, 1 length, then the rest."""
        layout = ScanInfo(self.EVERYTHING)
        assert (layout.shared_at, layout.lengths_at, layout.others_at) == (7, 8, 9)

    def test_counts_of_outputs(self) -> None:
        """Four recurrent ones and one that only is stored."""
        layout = ScanInfo(self.EVERYTHING)
        assert (layout.n_mit_mot, layout.n_recurrences, layout.n_stored) == (2, 4, 5)

    def test_taps_that_are_read_and_written_are_updates(self) -> None:
        """Of the taps 1, 0 and 2 the last is no input: it stays an output of the step."""
        layout = ScanInfo(self.EVERYTHING)
        assert layout.written_by_tap == ((True,), (True, False))
        assert layout.n_mit_mot_results == 1

    def test_borrowed_outputs_are_the_stored_ones(self) -> None:
        """The tap that is kept, mit_sot, sit_sot and nit_sot."""
        assert borrowed_outputs(ScanInfo(self.EVERYTHING)) == 1 + 3

    def test_a_loop_of_nothing(self) -> None:
        """No outputs, no inputs but the number of steps."""
        layout = ScanInfo(NOTHING)
        assert (layout.n_stored, layout.others_at, layout.vector_outs) == (0, 1, ())


class TestInputs:
    """What a step is given."""

    def test_non_sequences_are_not_copied(self) -> None:
        """W of 5 rows, 10 rows of output, and the step's own row."""
        script = function(step((5, 4), n_nit_sot=1), [10, 10, (5, 4)], (10, 1, 4))
        assert rows(script)[0] == (5, 5 + 10 + 1, 5)

    def test_sequences_are_seen_row_by_row(self) -> None:
        """Ten rows in, ten rows out, and the step's own row: slices are views."""
        script = function(step((1, 4), n_seqs=1, n_nit_sot=1), [10, (10, 1, 4), 10], (10, 1, 4))
        assert rows(script)[0] == (10, 10 + 10 + 1, 10)

    def test_the_shortest_sequence_says_how_many_steps_there_are(self) -> None:
        """Where neither their number nor the length of the output is known but by its shape."""
        known = function(step((1, 4), n_seqs=1, n_nit_sot=1), [10, (10, 1, 4), 10], (10, 1, 4))
        unknown = function(step((1, 4), n_seqs=1, n_nit_sot=1), [None, (10, 1, 4), None], (10, 1, 4))
        assert rows(unknown) == rows(known)

    def test_a_shared_state_is_made_anew_in_every_step(self) -> None:
        """The old one of 5 rows is there while the new one is made, beside the shared variable's own value."""
        script = function(step((5, 4), result=(5, 4), n_shared_outs=1), [10, (5, 4)], (5, 4))
        assert rows(script)[0] == (5, 15, 5)


class TestStates:
    """Recurrences and gradients."""

    def test_a_state_with_room_for_one_is_no_ring(self) -> None:
        """Only the last of ten steps is kept: a new row beside the old one, and one byte for a part of nothing."""
        script = function(step((1, 4), **STATE), [10, (1, 1, 4)], (1, 1, 4), in_place=True)
        assert rows(script)[0] == (1, 2 + 1 / ROW, 1)

    def test_a_copy_of_the_initial_state_is_used_again(self) -> None:
        """Where nothing is collected the second call finds the first one's 11 rows."""
        script = function(step((1, 4), **STATE), [10, (11, 1, 4)], (11, 1, 4), behind=True)
        first, second = rows(script, KEPT)
        assert int(first[1]) == int(second[1]) == 11 + 11 + 1

    def test_gradients_are_written_into_an_input_of_the_step(self) -> None:
        """A tap that is read and written: the new row, and the one before in the loop's own variable."""
        graph, table = step((1, 4), (1, 4), **GRADIENT)
        inputs = (graph.inputs[0], GraphInput(1, update=0))
        script = function((replace(graph, inputs=inputs, returned=0), table), [10, (11, 1, 4)], (11, 1, 4), in_place=True)
        assert rows(script)[0] == (11, 11 + 2, 11)

    def test_of_several_gradients_all_rows_of_the_step_before_stay(self) -> None:
        """The loop keeps them to compare with: two rows beside the two new ones."""
        inner, outer = Sketch(), Sketch()
        given = [inner.argument((1, 4), DEVICE) for _ in range(4)]
        made = [inner.apply(PLAIN, [given[k]], (1, 4))[0] for k in (0, 2)]
        inputs = tuple(GraphInput(v, update={1: 0, 3: 1}.get(v)) for v in given)
        info = {**NOTHING, "mit_mot_in_slices": [[0, 1]] * 2, "mit_mot_out_slices": [[1]] * 2}
        graph = replace(inner.graph(made, returned=0), inputs=inputs, info=info)
        sources = [number(outer, 10), outer.shared((11, 1, 4)), outer.shared((11, 1, 4))]
        outputs = outer.apply(Op("Scan", "for{gpu}", inner=graph, destroy_map={0: (1,), 1: (2,)}), sources, (11, 1, 4), (11, 1, 4))
        done = outer.script(list(outputs))
        events = [replace(e, shapes=replace(e.shapes, inner={0: inner.table()})) if isinstance(e, Call) else e for e in done.events]
        assert rows(replace(done, events=tuple(events)))[0] == (22, 22 + 2 + 2, 22)


class TestEnds:
    """Loops that end early, or never begin."""

    def test_a_condition_leaves_room_that_is_set_to_zero(self) -> None:
        """One number of four bytes beside 11 rows and the step's own."""
        script = function(step((1, 4), as_while=True, **STATE), [10, (11, 1, 4)], (11, 1, 4), in_place=True)
        assert rows(script)[0][1] == 11 + 1 + 4 / ROW

    @pytest.mark.parametrize("calls", [0, 1])
    def test_a_map_of_no_steps_makes_nothing(self, calls: int) -> None:
        """An empty sequence has an empty result."""
        script = function(step((1, 4), n_seqs=1, n_nit_sot=1), [0, (0, 1, 4), 0], (0, 1, 4))
        assert rows(script)[calls][1] < 1

    def test_a_recurrence_of_no_steps_keeps_its_state(self) -> None:
        """One row, in place."""
        script = function(step((1, 4), **STATE), [0, (1, 1, 4)], (1, 1, 4), in_place=True)
        assert rows(script) == [(1, 1, 1), (1, 1, 1)]

    def test_a_loop_whose_inside_is_not_known_has_its_output(self) -> None:
        """Nothing else is made up."""
        script = function(step((1, 4), sit_sot_in_slices=None), [10, (10, 1, 4)], (10, 1, 4))
        assert rows(script)[0] == (10, 20, 10)


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 70, 1000])
def test_more_steps_need_only_more_room(steps: int) -> None:
    """State and copy grow, the step's own row stays one: long loops are settled after a few steps."""
    room = steps + 1
    script = function(step((1, 4), **STATE), [steps, (room, 1, 4)], (room, 1, 4))
    assert rows(script)[0] == (room, 2 * room + 1, room)


@pytest.mark.parametrize("nodes", [1, 2, 5])
def test_a_step_keeps_its_intermediates(nodes: int) -> None:
    """All of them, since collection inside is off, and the result of the first step."""
    script = function(step((1, 4), nodes=nodes, n_seqs=1, n_nit_sot=1), [10, (10, 1, 4), 10], (10, 1, 4))
    assert rows(script)[0] == (10, 20 + nodes, 10)
