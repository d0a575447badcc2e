"""A script's whole life on one device, event by event, without the cache so that every byte is exact."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis

from theanodiag.ir import Op, Unknown
from theanodiag.memory.profile import Origin
from theanodiag.memory.script import (
    Call,
    CallInput,
    Compile,
    Create,
    Delete,
    DropConstant,
    Event,
    GetValue,
    Release,
    Script,
    SetValue,
    SharedVariable,
)
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.ops.arrays import ItemKind

from .graphs import DEVICE, EXACT, HOST, ON_HOST, PLAIN, VIEW, Sketch, random_sketches

ROW = 16
"""Bytes of a row of four float32."""
W = SharedVariable(0, "W", DEVICE)
TRANSPOSED = Op("GpuDimShuffle", "turn", params={"new_order": [1, 0]}, view_map={0: (0,)})


def life(*events: Event, shared: SharedVariable = W) -> tuple[int, int]:
    """Rows that are live at the highest point and at the end of a script with one shared variable."""
    profile = simulate(Script({0: shared}, (), events), EXACT)
    return profile.live_peak_bytes // ROW, profile.persistent_bytes // ROW


class TestSharedVariables:
    """They come, change and go."""

    @pytest.mark.parametrize(
        ("events", "expected"),
        [
            ((Create(0, (10, 4)),), (10, 10)),
            ((Create(0, (10, 4)), SetValue(0, (10, 4))), (10, 10)),
            ((Create(0, (10, 4)), SetValue(0, (7, 4))), (17, 7)),
            ((Create(0, (10, 4)), SetValue(0, (20, 2))), (20, 10)),
            ((Create(0, (10, 4)), SetValue(0, (7, 4)), SetValue(0, (3, 4))), (17, 3)),
            ((Create(0, (10, 4)), Delete(shared=0)), (10, 0)),
            ((Create(0, (10, 4)), Delete(shared=0, collected=True)), (10, 10)),
            ((Create(0, (10, 4)), Delete(shared=0), SetValue(0, (5, 4))), (10, 5)),
            ((Create(0, (10, 4)), GetValue(0)), (10, 10)),
            ((Create(0, (10, 4)), GetValue(0, internal=True)), (20, 10)),
            ((Create(0, (10, 4)), GetValue(0, internal=True, borrow=True)), (10, 10)),
            ((Create(0, ()),), (0, 0)),
        ],
        ids=[
            "made", "same shape in place", "smaller beside", "same bytes, other shape", "twice", "deleted", "found by chance", "set after",
            "read", "device copy", "borrowed", "scalar",
        ],
    )  # fmt: skip
    def test_rows_at_the_peak_and_at_the_end(self, events: tuple[Event, ...], expected: tuple[int, int]) -> None:
        """A value of another shape is made beside the old one; one of the same shape is written into it."""
        assert life(*events) == expected

    def test_one_of_the_host_takes_nothing_on_the_device(self) -> None:
        """Integers that stay on the host are not followed."""
        assert life(Create(0, (10, 4)), shared=SharedVariable(0, "n", HOST)) == (0, 0)

    def test_an_unknown_size_is_told_with_the_name(self) -> None:
        """Whether it all fits is then unknown too."""
        profile = simulate(Script({0: W}, (), (Create(0, Unknown("no data here")),)), EXACT)
        assert profile.fits == Unknown("the size of shared variable W is not known: no data here")

    def test_one_without_a_name_has_its_number(self) -> None:
        """There is always something to call it."""
        profile = simulate(Script({3: SharedVariable(3, None, DEVICE)}, (), (Create(3, (Unknown("why"),)),)), EXACT)
        assert isinstance(profile.fits, Unknown)
        assert profile.fits.reason.startswith("the size of shared variable 3 is")

    def test_a_strided_value_is_copied_when_it_is_read_or_set(self) -> None:
        """`W <- view of something with holes`: reading takes a copy, and a new value cannot be written into it."""
        s = Sketch()
        w = s.shared((4, 2), update=0)
        (large,) = s.apply(PLAIN, [w], (8, 2))
        pattern = {"idx_list": [{"slice": [None, None, 2]}]}
        (holes,) = s.apply(Op("GpuSubtensor", "holes", params=pattern, view_map={0: (0,)}), [large], (4, 2))
        script = s.script([holes], returned=0)
        after = simulate(script, EXACT).persistent_bytes
        read = simulate(replace(script, events=(*script.events, GetValue(0))), EXACT)
        assert (after, read.live_peak_bytes) == (64, 96)
        assert simulate(replace(script, events=(*script.events, SetValue(0, (4, 2)))), EXACT).persistent_bytes == 32

    def test_a_transposed_value_is_in_one_piece(self) -> None:
        """It is read as it is, and a new value of its shape is written into it."""
        s = Sketch()
        (turned,) = s.apply(TRANSPOSED, [s.shared((4, 4), update=0)], (4, 4))
        script = s.script([turned], returned=0)
        more = (GetValue(0), SetValue(0, (4, 4)))
        assert simulate(replace(script, events=(*script.events, *more)), EXACT).live_peak_bytes == 64


def doubling(calls: int = 1, held: bool = False, memory: int | None = None) -> Script:
    """A function with a constant of 3 rows (its memory has that number) that makes 10 rows of a shared variable of 5."""
    s = Sketch()
    (y,) = s.apply(PLAIN, [s.shared((5, 4)), s.constant((3, 4), memory)], (10, 4))
    return s.script([y], calls=calls, held=held)


class TestFunctions:
    """They are compiled, called and dropped."""

    def test_constants_come_with_the_compilation(self) -> None:
        """5 rows of the shared variable, then 3 more."""
        script = doubling()
        made, compiled, _ = script.events
        assert simulate(replace(script, events=(made,)), EXACT).persistent_bytes == 5 * ROW
        assert simulate(replace(script, events=(made, compiled)), EXACT).persistent_bytes == 8 * ROW

    def test_a_call_compiles_what_was_not_compiled(self) -> None:
        """A stream that lost an event still has the constants."""
        script = doubling()
        events = tuple(e for e in script.events if not isinstance(e, Compile))
        assert simulate(replace(script, events=events), EXACT).live_peak_bytes == 18 * ROW

    def test_compiling_twice_is_compiling_once(self) -> None:
        """The function is the same one."""
        script = doubling()
        assert simulate(replace(script, events=(*script.events, Compile(0))), EXACT).persistent_bytes == 8 * ROW

    def test_the_constants_of_a_function_stay_when_it_is_gone(self) -> None:
        """Its graph is garbage that waits to be found, and holds them."""
        events = (*doubling().events, Delete(function=0))
        assert simulate(replace(doubling(), events=events), EXACT).persistent_bytes == 8 * ROW

    @pytest.mark.parametrize(
        ("events", "rows"),
        [
            ((DropConstant(7),), 8),
            ((DropConstant(7), Delete(function=0)), 5),
            ((Delete(function=0), DropConstant(7)), 5),
            ((Delete(function=0), DropConstant(8)), 8),
            ((Delete(function=0), DropConstant(7), DropConstant(7)), 5),
        ],
        ids=["while it lives", "constant first", "function first", "another constant", "twice"],
    )
    def test_until_their_memory_is_seen_to_go(self, events: tuple[Event, ...], rows: int) -> None:
        """In whichever order the two are found; what a function still has is no garbage, whatever the stream says."""
        script = doubling(memory=7)
        assert simulate(replace(script, events=(*script.events, *events)), EXACT).persistent_bytes == rows * ROW

    def test_a_constant_that_another_function_has_too_stays(self) -> None:
        """A copy of a function has the constants of the first one."""
        script = doubling(memory=7)
        both = replace(script, functions=(*script.functions, replace(script.functions[0], index=1)))
        for dropped, rows in (((0,), 8), ((0, 1), 5)):
            events = (*script.events, Compile(1), *(Delete(function=f) for f in dropped), DropConstant(7))
            assert simulate(replace(both, events=events), EXACT).persistent_bytes == rows * ROW

    def test_a_fused_constant_goes_likewise(self) -> None:
        """It was in no cell, the function held it."""
        script = doubling()
        row = {"type": {"dtype": "float32"}, "constant": {"shape": [2, 4], "memory": 3}}
        function = replace(script.functions[0], graph=replace(script.functions[0].graph, info={"kept_constants": [row]}))
        for events, rows in (((), 10), ((Delete(function=0),), 10), ((Delete(function=0), DropConstant(3)), 8)):
            made = replace(script, functions=(function,), events=(*script.events, *events))
            assert simulate(made, EXACT).persistent_bytes == rows * ROW

    def test_deleting_what_was_never_compiled_is_no_trouble(self) -> None:
        """There is nothing to empty."""
        script = doubling()
        assert simulate(replace(script, events=(script.events[0], Delete(function=0))), EXACT).persistent_bytes == 5 * ROW

    @pytest.mark.parametrize(("own", "flag", "after"), [(None, True, 8), (None, False, 18), (False, True, 18), (True, False, 8)])
    def test_the_function_s_own_collection_comes_before_the_flag(self, own: bool | None, flag: bool, after: int) -> None:
        """Without it the result stays in its cell after the call."""
        script = doubling()
        functions = (replace(script.functions[0], allow_gc=own),)
        profile = simulate(replace(script, functions=functions), MemorySettings(preallocate=-1.0, allow_gc=flag))
        assert profile.persistent_bytes == after * ROW

    def test_every_call_has_figures(self) -> None:
        """Three equal calls, and the first one stands for the function."""
        profile = simulate(doubling(calls=3), EXACT)
        assert len(set(profile.calls[0])) == 1
        assert (len(profile.calls[0]), profile.functions[0].call) == (3, 0)

    def test_a_bound_is_no_derived_figure(self) -> None:
        """Where a size of the call is an upper bound the profile says so."""
        script = doubling()
        call = script.events[-1]
        assert isinstance(call, Call)
        bounded = replace(call, shapes=replace(call.shapes, bounded=frozenset({2})))
        assert simulate(replace(script, events=(*script.events[:-1], bounded)), EXACT).functions[0].origin is Origin.BOUNDED


class TestResults:
    """Device arrays in the script's hands."""

    def test_one_that_is_held_stays_until_it_is_released(self) -> None:
        """10 rows beside the 8 of the function."""
        script = doubling(held=True)
        assert simulate(script, EXACT).persistent_bytes == 18 * ROW
        assert simulate(replace(script, events=(*script.events, Release(0))), EXACT).persistent_bytes == 8 * ROW

    def test_a_release_of_what_was_never_held_is_no_trouble(self) -> None:
        """It frees nothing."""
        script = doubling()
        assert simulate(replace(script, events=(*script.events, Release(9))), EXACT).persistent_bytes == 8 * ROW

    def test_only_the_results_that_are_listed_stay(self) -> None:
        """Of two outputs of 6 and 7 rows the second is held."""
        s = Sketch()
        outputs = s.apply(PLAIN, [s.shared((5, 4))], (6, 4), (7, 4))
        script = s.script(outputs)
        call = script.events[-1]
        assert isinstance(call, Call)
        held = replace(call, device_results=((1, 0),))
        assert simulate(replace(script, events=(*script.events[:-1], held)), EXACT).persistent_bytes == (5 + 7) * ROW

    def test_a_position_beyond_the_outputs_is_no_trouble(self) -> None:
        """A damaged stream holds nothing."""
        script = doubling()
        call = script.events[-1]
        assert isinstance(call, Call)
        held = replace(call, device_results=((5, 0),))
        assert simulate(replace(script, events=(*script.events[:-1], held)), EXACT).persistent_bytes == 8 * ROW

    def test_a_view_in_the_script_s_hands_holds_all_of_its_base(self) -> None:
        """2 rows are returned, 50 stay."""
        s = Sketch()
        (large,) = s.apply(PLAIN, [s.shared((1, 4))], (50, 4))
        (view,) = s.apply(VIEW, [large], (2, 4))
        assert simulate(s.script([view], held=True), EXACT).persistent_bytes == 51 * ROW

    def test_a_copy_of_a_shared_variable_stays_until_it_is_released(self) -> None:
        """Ten rows beside ten."""
        shared = {0: SharedVariable(0, "w", DEVICE)}
        events = (Create(0, (10, 4)), GetValue(0, internal=True, result=1))
        assert simulate(Script(shared, (), events), EXACT).persistent_bytes == 20 * ROW
        assert simulate(Script(shared, (), (*events, Release(1))), EXACT).persistent_bytes == 10 * ROW

    def test_a_device_array_is_copied_as_a_new_value_unless_it_is_borrowed(self) -> None:
        """Beside the old one and the one given; or the one given is the new value."""
        shared = {0: SharedVariable(0, "w", DEVICE)}
        events = (Create(0, (10, 4)), GetValue(0, internal=True, result=1))
        for borrow, figures in ((False, (30 * ROW, 10 * ROW)), (True, (20 * ROW, 10 * ROW))):
            given = SetValue(0, (10, 4), borrow=borrow, on_device=True, result=1)
            profile = simulate(Script(shared, (), (*events, given, Release(1))), EXACT)
            assert (profile.live_peak_bytes, profile.persistent_bytes) == figures


class TestArguments:
    """What the caller gives."""

    def test_a_device_array_that_a_function_returned_is_not_counted_again(self) -> None:
        """The caller held ten rows, and still does; the result has twenty."""
        s = Sketch()
        (y,) = s.apply(PLAIN, [s.argument((10, 4), DEVICE)], (20, 4))
        script = s.script([y])
        *before, call = script.events
        assert isinstance(call, Call)
        had = (Create(7, (10, 4)), GetValue(7, internal=True, result=1))
        given = replace(call, inputs=(replace(call.inputs[0], result=1),))
        made = replace(script, shared={7: SharedVariable(7, "w", DEVICE)}, events=(*before, *had, given))
        assert simulate(made, EXACT).live_peak_bytes == (10 + 10 + 20) * ROW

    def test_a_device_array_as_an_argument_counts_as_an_input(self) -> None:
        """10 rows that were there for the caller, and 20 of the result."""
        s = Sketch()
        (y,) = s.apply(PLAIN, [s.argument((10, 4), DEVICE)], (20, 4))
        profile = simulate(s.script([y]), EXACT).functions[0]
        assert [(i.kind, i.bytes) for i in profile.items] == [(ItemKind.INPUT, 10 * ROW), (ItemKind.OUTPUT, 20 * ROW)]

    def test_arguments_are_gone_after_the_call(self) -> None:
        """On the host: 10 rows of the argument, then nothing."""
        s = Sketch()
        (y,) = s.apply(PLAIN, [s.argument((10, 4))], (20, 4), kind=HOST)
        profile = simulate(s.script([y], calls=2), ON_HOST)
        assert (profile.live_peak_bytes, profile.persistent_bytes) == (30 * ROW, 0)

    def test_an_argument_of_unknown_size_makes_a_lower_bound(self) -> None:
        """The result is counted, the argument is named."""
        s = Sketch()
        x = s.argument((10, 4), DEVICE)
        (y,) = s.apply(PLAIN, [x], (20, 4))
        script = s.script([y])
        table = replace(s.table(), shapes={y: (20, 4), x: Unknown("nobody said")})
        call = Call(0, (CallInput(x, "x", "float32", Unknown("nobody said")),), table)
        profile = simulate(replace(script, events=(*script.events[:-1], call)), EXACT)
        assert profile.live_peak_bytes == 20 * ROW
        assert [u.variable for u in profile.functions[0].unknown] == ["v0"]


@hypothesis(deadline=None, max_examples=50)
@given(random_sketches())
def test_a_deleted_function_leaves_the_shared_variables(made: tuple[Sketch, list[int]]) -> None:
    """On random graphs, with and without collection: nothing else stays when the function is gone."""
    sketch, outputs = made
    script = sketch.script(outputs, calls=2)
    script = replace(script, events=(*script.events, Delete(function=0)))
    shared = sum(sketch.shapes[i.variable][0] * ROW for i in sketch.inputs)
    for gc in (True, False):
        assert simulate(script, MemorySettings(preallocate=-1.0, allow_gc=gc)).persistent_bytes == shared


@hypothesis(deadline=None, max_examples=50)
@given(random_sketches())
def test_a_second_equal_call_is_as_the_first_where_nothing_is_kept(made: tuple[Sketch, list[int]]) -> None:
    """On random graphs without updates: equal figures for every call, and the peak is above what is live before and after."""
    sketch, outputs = made
    first, *others = simulate(sketch.script(outputs, calls=3), EXACT).calls[0]
    assert others == [first, first]
    assert first.live_peak_bytes >= first.live_before_bytes == first.live_after_bytes


@hypothesis(deadline=None, max_examples=50)
@given(random_sketches())
def test_without_collection_no_peak_is_lower(made: tuple[Sketch, list[int]]) -> None:
    """On random graphs: what is kept can only add to the peak of a first call."""
    sketch, outputs = made
    script = sketch.script(outputs)
    kept = simulate(script, MemorySettings(preallocate=-1.0, allow_gc=False))
    assert kept.live_peak_bytes >= simulate(script, EXACT).live_peak_bytes
