"""Plans change one input of the simulation and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.memory.graphs import DEVICE, PLAIN, Sketch
from theanodiag.ir import Op, Type, TypeKind, Unknown
from theanodiag.memory.script import Create, Script
from theanodiag.memory.settings import AllocatorKind, MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.plans.graphs.precision import halve_floats
from theanodiag.plans.memory_flags import KEPT_FREE, PreallocationPlan, preallocate
from theanodiag.plans.resize import ArgumentAxis, SharedAxis, WhatIf
from theanodiag.rules.examples import dot_script
from theanodiag.rules.memory import allocator
from theanodiag.units import MIB

EXACT = MemorySettings(preallocate=-1.0)


class TestFloats:
    """float32 in place of float64."""

    @pytest.mark.parametrize(
        ("dtype", "factor"), [("float64", 2), ("complex128", 2), ("float32", 1), ("float16", 1), ("int64", 1), ("complex64", 1)]
    )
    def test_only_wide_floats_become_narrow(self, dtype: str, factor: int) -> None:
        """Integers have to stay as they are."""
        script = dot_script(16, 32, dtype)
        assert simulate(script, EXACT).live_peak_bytes == factor * halve_floats(script, EXACT).live_peak_bytes

    def test_the_script_itself_is_not_changed(self) -> None:
        """A plan is a question."""
        script = dot_script(16, 32, "float64")
        before = simulate(script, EXACT)
        halve_floats(script, EXACT)
        assert simulate(script, EXACT) == before

    def test_inner_graphs_become_narrow_too(self) -> None:
        """A constant of 12 float64 inside of a loop: 96 bytes, then 48."""
        wide = Type(TypeKind.GPUARRAY, "float64", (None, None))
        inner = Sketch()
        inner.constant((3, 4))
        inner.variables[0] = replace(inner.variables[0], type=wide)
        s = Sketch()
        (out,) = s.apply(Op("OpFromGraph", "ofg", inner=inner.graph([0])), [s.shared((1, 1), kind=DEVICE)], (1, 1))
        script = s.script([out])
        saved = simulate(script, EXACT).persistent_bytes - halve_floats(script, EXACT).persistent_bytes
        assert saved == 48


def test_a_shape_that_was_not_seen_to_come_about_is_a_conflict() -> None:
    """The call has another shape of W than its last value: what a change would make of it cannot be told."""
    script = dot_script(16, 32)
    axis = SharedAxis(0, 0)
    events = tuple(replace(e, shape=(16, 77)) if isinstance(e, Create) else e for e in script.events)
    changed = replace(script, events=events)
    answer = WhatIf(changed).with_lengths({axis: 9})
    assert isinstance(answer, Unknown)
    assert answer.reason.endswith("in a way that was not seen")
    assert WhatIf(changed).conflicts({axis: 9}) >= 1


def growing(columns: int = 2000) -> Script:
    """A script that makes the cache grow."""
    return dot_script(1000, columns)


def plan_for(script: Script, settings: MemorySettings, available: int | None = None) -> PreallocationPlan | None:
    """The plan for a script."""
    return preallocate(script, settings, simulate(script, settings), available)


class TestPreallocation:
    """One block at the start."""

    @pytest.mark.parametrize("kind", [AllocatorKind.DIRECT, AllocatorKind.OPENCL, AllocatorKind.CNMEM])
    def test_only_for_the_cache_of_libgpuarray(self, kind: AllocatorKind) -> None:
        """No other allocator has the flag."""
        assert plan_for(growing(), MemorySettings(allocator=kind)) is None

    def test_a_script_without_calls_has_no_plan(self) -> None:
        """There is nothing to make room for."""
        assert plan_for(dot_script(1000, 2000, called=False), MemorySettings()) is None

    def test_its_bytes_are_the_flag_s_megabytes(self) -> None:
        """Of 1048576 bytes each."""
        plan = plan_for(growing(), MemorySettings())
        assert plan is not None
        assert plan.bytes == plan.megabytes * MIB

    def test_where_it_makes_the_script_fit_it_may_take_all_that_is_free(self) -> None:
        """Theano only warns below 50 MB, and a number of MB is held against the free memory alone; a byte less, and it is refused."""
        script = allocator.fragmentation.fires().script
        plan = plan_for(script, MemorySettings())
        assert plan is not None
        enough = plan.bytes + 4 * 2**20
        settings = MemorySettings(total_bytes=enough, free_bytes=enough)
        assert simulate(script, settings).fits is False
        found = plan_for(script, settings, enough)
        assert found is not None
        assert (found.megabytes, found.cures) == (plan.megabytes, True)
        less = replace(settings, total_bytes=enough - 1, free_bytes=enough - 1)
        assert plan_for(script, less, enough - 1) is None

    def test_at_the_last_megabyte_that_is_left(self) -> None:
        """More than 50 MB must stay free beside the 4 MiB of the cache's first block: with one byte less there is no plan."""
        settings = MemorySettings()
        plan = plan_for(growing(), settings)
        assert plan is not None
        enough = plan.bytes + 4 * 2**20 + KEPT_FREE + 1
        found = plan_for(growing(), settings, enough)
        assert found is not None
        assert found.megabytes == plan.megabytes
        assert plan_for(growing(), settings, enough - 1) is None

    @pytest.mark.parametrize("columns", [1500, 2000, 2500, 3000])
    def test_it_covers_the_peak(self, columns: int) -> None:
        """A block below what is live at once could never be enough."""
        plan = plan_for(growing(columns), MemorySettings())
        assert plan is not None
        assert plan.bytes >= plan.before.live_peak_bytes - 4 * MIB
        assert plan.after.live_peak_bytes == plan.before.live_peak_bytes

    def test_blocks_that_cannot_be_joined_are_worth_a_plan(self) -> None:
        """Arrays of 4.6 to 13.7 MiB in a row: what is freed is in other blocks than what is asked for next."""
        s = Sketch()
        last = s.shared((400_000, 4))
        for rows in (700_000, 300_000, 900_000):
            (last,) = s.apply(PLAIN, [last], (rows, 4))
        plan = plan_for(s.script([last]), MemorySettings())
        assert plan is not None
        assert plan.before.reserved_peak_bytes > plan.before.live_peak_bytes


def test_asking_again_infers_no_shapes_again() -> None:
    """Of the last few scripts that were resized; older ones are made anew, and are equal."""
    what_if = WhatIf(dot_script(100, 10))
    first = what_if.with_lengths({ArgumentAxis(0, 0, 0): 50})
    work = what_if.inferred
    assert what_if.with_lengths({ArgumentAxis(0, 0, 0): 50}) is first
    assert what_if.inferred == work
    for n in range(1, 10):
        what_if.with_lengths({ArgumentAxis(0, 0, 0): n})
    assert what_if.with_lengths({ArgumentAxis(0, 0, 0): 50}) == first
