"""The recommended preallocation is enough, and one megabyte less is not."""

from __future__ import annotations

import dataclasses

import pytest

from theanodiag.memory.profile import ProcessProfile
from theanodiag.memory.script import Script
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate, simulate_figures
from theanodiag.plans import memory_flags
from theanodiag.plans.graphs.precision import halve_floats
from theanodiag.plans.memory_flags import CEILING, KEPT_FREE, preallocate
from theanodiag.rules.examples import dot_script
from theanodiag.units import MIB


def grows(script: Script, megabytes: int) -> bool:
    """Whether the cache asks the driver again after the start."""
    settings = MemorySettings(preallocate=float(megabytes))
    start = simulate(dataclasses.replace(script, events=()), settings)
    return simulate(script, settings).reserved_peak_bytes > start.reserved_peak_bytes


def test_recommended_size_is_the_least_that_suffices() -> None:
    """With the plan's size there is no further request; with one MB less there is."""
    script, settings = dot_script(1000, 2000), MemorySettings()
    plan = preallocate(script, settings, simulate(script, settings), None)
    assert plan is not None
    assert not grows(script, plan.megabytes)
    assert grows(script, plan.megabytes - 1)


@pytest.mark.parametrize(("rows", "columns"), [(100, 5000), (250, 4000), (3000, 500), (1, 3000), (5000, 1000)])
def test_no_smaller_size_at_all_suffices(rows: int, columns: int) -> None:
    """Also where the block with which the cache begins holds some of the arrays: then less than the live peak is enough."""
    script, settings = dot_script(rows, columns), MemorySettings()
    plan = preallocate(script, settings, simulate(script, settings), None)
    assert plan is not None
    assert plan.megabytes == next(n for n in range(2, 1000) if not grows(script, n))


def test_each_size_is_simulated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulation of a large script takes seconds."""
    asked: list[tuple[bool, float]] = []

    def noted(script: Script, settings: MemorySettings) -> ProcessProfile:
        asked.append((bool(script.events), settings.preallocate))
        return simulate_figures(script, settings)

    monkeypatch.setattr(memory_flags, "simulate_figures", noted)
    script, settings = dot_script(6000, 1500), MemorySettings()
    assert preallocate(script, settings, simulate(script, settings), None) is not None
    whole = [size for with_events, size in asked if with_events]
    assert len(whole) == len(set(whole)) > 1


def test_no_plan_where_the_first_block_is_enough() -> None:
    """A script that never makes the cache grow needs no flag."""
    script, settings = dot_script(10, 100), MemorySettings()
    assert preallocate(script, settings, simulate(script, settings), None) is None


def test_no_plan_that_would_leave_no_room() -> None:
    """What would leave the driver less than 50 MB is not recommended."""
    script, settings = dot_script(1000, 2000), MemorySettings()
    assert preallocate(script, settings, simulate(script, settings), KEPT_FREE + 8 * MIB) is None


def test_both_marks_hold_without_overhead() -> None:
    """With all of a large device free, the share of it is what limits; on a smaller one what has to stay free."""
    script = dot_script(1000, 20_000)
    least = preallocate(script, MemorySettings(), simulate(script, MemorySettings()), None)
    assert least is not None
    limited = []
    for total in range(least.bytes, least.bytes + 400 * MIB, 10 * MIB):
        settings = MemorySettings(total_bytes=total, free_bytes=total)
        plan = preallocate(script, settings, simulate(script, settings), total)
        limited.append(plan is None)
        assert plan is None or plan.megabytes == least.megabytes
        assert plan is None or (plan.bytes < CEILING * total and plan.bytes < total - KEPT_FREE)
        assert plan is not None or least.bytes >= min(CEILING * total, total - KEPT_FREE) - 5 * MIB
    assert True in limited
    assert False in limited


def test_float32_halves_a_float64_script() -> None:
    """Without float64 the live peak is exactly half (sizes here are multiples of 64 bytes)."""
    script, settings = dot_script(64, 128, "float64"), MemorySettings()
    assert 2 * halve_floats(script, settings).live_peak_bytes == simulate(script, settings).live_peak_bytes
