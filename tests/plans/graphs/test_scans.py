"""Loops of the real Theano: what is found in their graphs, and the foretold peaks beside those of the same loop with the cure."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from tests.interpreters import THOROUGH, find
from theanodiag.capture.model import visible_gpu
from theanodiag.capture.runner import run_script
from theanodiag.devices import by_name
from theanodiag.ir import ShapeTable
from theanodiag.memory.script import Call, CompiledFunction, Script
from theanodiag.memory.settings import AllocatorKind, MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.plans.graphs.long_scans import (
    Recurrence,
    cut_off,
    find_kept,
    find_prepared,
    find_recurrences,
    in_steps,
    last_only,
    with_checkpoints,
)

SCRIPT = Path(__file__).parents[1] / "scripts" / "recurrent.py"
STATE = 32 * 64 * 4
STEPS = 144
pytestmark = THOROUGH
BOTH = pytest.mark.parametrize("gpu", [False, True], ids=["host", "device"])


@cache
def script(gpu: bool) -> Script:
    """The script as Theano compiles it."""
    wanted = visible_gpu(by_name("4 GiB")) if gpu else None
    return run_script(SCRIPT, find("theano"), gpu=wanted, stdout=os.open(os.devnull, os.O_WRONLY)).script


def called(gpu: bool, name: str) -> tuple[CompiledFunction, ShapeTable]:
    """A function, and the shapes of its call."""
    function = next(f for f in script(gpu).functions if f.name == name)
    return function, next(e.shapes for e in script(gpu).events if isinstance(e, Call) and e.function == function.index)


def recurrences(gpu: bool, name: str) -> list[Recurrence]:
    """The loops of a function with their gradients."""
    function, table = called(gpu, name)
    return list(find_recurrences(function.graph, table, function.index))


def peak(of: Script, gpu: bool, name: str) -> int:
    """The live peak of a function."""
    settings = MemorySettings() if gpu else MemorySettings(allocator=AllocatorKind.DIRECT)
    return simulate(of, settings).functions[called(gpu, name)[0].index].figures.live_peak_bytes


@BOTH
def test_loops_that_keep_all_for_the_last(gpu: bool) -> None:
    """FAST_COMPILE leaves all 145 states in place, as does a condition; where the optimiser ran two are kept and nothing is found."""
    found = {f.name for f in script(gpu).functions if list(find_kept(f.graph, called(gpu, f.name)[1], f.index))}
    assert found == {"last, unoptimised", "until"}
    function, table = called(gpu, "last, unoptimised")
    (kept,) = find_kept(function.graph, table, function.index)
    assert (kept.steps, kept.needed, len(kept.arrays)) == (STEPS + 1, 2, 3)


@BOTH
def test_a_loop_without_its_condition_is_foretold(gpu: bool) -> None:
    """As many steps always, of which two states are kept: within two of what Theano needs for it."""
    function, table = called(gpu, "until")
    (kept,) = find_kept(function.graph, table, function.index)
    assert (kept.steps, kept.needed, kept.until) == (STEPS + 1, 2, True)
    assert abs(peak(last_only(script(gpu), kept), gpu, "until") - peak(script(gpu), gpu, "waiting")) <= 2 * STATE
    assert peak(script(gpu), gpu, "until") > STEPS * STATE


@BOTH
def test_last_state_alone_is_foretold(gpu: bool) -> None:
    """Two states instead of 145, in each buffer that is live: within three states of what the optimised function needs."""
    function, table = called(gpu, "last, unoptimised")
    (kept,) = find_kept(function.graph, table, function.index)
    foretold, real = peak(last_only(script(gpu), kept), gpu, "last, unoptimised"), peak(script(gpu), gpu, "last")
    assert 0 <= foretold - real <= 3 * STATE
    assert peak(script(gpu), gpu, "last, unoptimised") > 2 * STEPS * STATE


@BOTH
def test_gradients_are_found_with_their_loops(gpu: bool) -> None:
    """144 steps each, with and without sequences; a loop without gradient is none."""
    assert [r.steps for r in recurrences(gpu, "whole")] == [STEPS]
    assert [r.steps for r in recurrences(gpu, "seq whole")] == [STEPS]
    assert [r.every for r in recurrences(gpu, "whole")] == [12]
    assert recurrences(gpu, "last") == []
    assert not any(r.all_used for name in ("whole", "seq whole") for r in recurrences(gpu, name))
    assert [r.all_used for r in recurrences(gpu, "every step")] == [True]


@pytest.mark.parametrize(("gpu", "above"), [(False, 0.34), (True, 0.125)], ids=["host", "device"])
def test_checkpoints_are_foretold(gpu: bool, above: float) -> None:
    """Not below the same loop by `scan_checkpoints`, above it by at most this part (TD322 says 40 %); the whole one is many times that."""
    (loop,) = recurrences(gpu, "whole")
    foretold, real = peak(with_checkpoints(script(gpu), loop), gpu, "whole"), peak(script(gpu), gpu, "checkpoints")
    assert real <= foretold <= real + above * real
    assert peak(script(gpu), gpu, "whole") > 4 * foretold


@BOTH
@pytest.mark.parametrize("name", ["whole", "seq whole"])
def test_cutting_off_is_foretold(gpu: bool, name: str) -> None:
    """Within one state: the buffers for the gradients stay, so that half of the peak does."""
    (loop,) = recurrences(gpu, name)
    foretold = peak(cut_off(script(gpu), loop, 12), gpu, name)
    real = peak(script(gpu), gpu, name.replace("whole", "cut off"))
    assert abs(foretold - real) <= STATE
    assert 3 * foretold > peak(script(gpu), gpu, name)


@BOTH
def test_a_sequence_made_in_the_steps_is_foretold(gpu: bool) -> None:
    """Near the same loop with the product in its step: within four states, of 144 before."""
    function, table = called(gpu, "narrow projected")
    (made,) = find_prepared(function.graph, table, function.index)
    assert (made.steps, made.product) == (STEPS, True)
    foretold, real = peak(in_steps(script(gpu), made), gpu, "narrow projected"), peak(script(gpu), gpu, "narrow in steps")
    assert abs(foretold - real) <= 4 * STATE
    assert peak(script(gpu), gpu, "narrow projected") - foretold >= (STEPS - 4) * STATE
