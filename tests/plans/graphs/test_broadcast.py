"""Broadcasts that blow up, in graphs of the real Theano: which are found, and what they need as dots and in blocks."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from tests.interpreters import find
from theanodiag.capture.model import visible_gpu
from theanodiag.capture.runner import run_script
from theanodiag.devices import by_name
from theanodiag.memory.script import Call, Script
from theanodiag.memory.settings import AllocatorKind, MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.plans.graphs.large_arrays import Blown, as_dot, find_blown, in_blocks

SCRIPT = Path(__file__).parents[1] / "scripts" / "distances.py"
CUBE = (2000, 300, 64)
BOTH = pytest.mark.parametrize("gpu", [False, True], ids=["host", "device"])


@cache
def script(gpu: bool) -> Script:
    """The script as Theano compiles it."""
    wanted = visible_gpu(by_name("6 GiB")) if gpu else None
    return run_script(SCRIPT, find("theano"), gpu=wanted, stdout=os.open(os.devnull, os.O_WRONLY)).script


@cache
def blown(gpu: bool) -> dict[str, Blown]:
    """The broadcasts by function."""
    found = {}
    for event in script(gpu).events:
        if isinstance(event, Call):
            function = script(gpu).functions[event.function]
            for each in find_blown(function.graph, event.shapes, event.function):
                found[function.name] = each
    return found


def peak(of: Script, gpu: bool, name: str) -> int:
    """The live peak of a function, for itself."""
    settings = MemorySettings() if gpu else MemorySettings(allocator=AllocatorKind.DIRECT)
    return next(simulate(of, settings).functions[f.index].figures.live_peak_bytes for f in of.functions if f.name == name)


@BOTH
def test_broadcasts_that_are_only_reduced_are_found(gpu: bool) -> None:
    """Not those that are returned as they are, and not the dots; the gradient's arrays belong to it."""
    found = blown(gpu)
    assert sorted(found) == ["distances", "other", "products", "train"]
    assert {b.shape for b in found.values()} == {CUBE}
    assert {name: b.dot for name, b in found.items()} == {"distances": "distance", "products": "product", "other": None, "train": None}
    assert {name: b.operands for name, b in found.items() if b.dot} == {"distances": ("x", "C"), "products": ("x", "C")}
    assert found["other"].row_bytes == 300 * 64 * 4
    assert {found[name].operands[0] for name in ("other", "train")} == {"x"}  # 2000 rows, over which the blocks go


@BOTH
@pytest.mark.parametrize("name", ["distances", "products"])
def test_dots_need_what_was_foretold(gpu: bool, name: str) -> None:
    """To the byte: the same function, written as the advice says, compiled by Theano."""
    changed = as_dot(script(gpu), blown(gpu)[name])
    assert changed is not None
    assert peak(changed, gpu, name) == peak(script(gpu), gpu, f"{name} as a dot")
    assert peak(script(gpu), gpu, name) > 2000 * 300 * 64 * 4


@BOTH
@pytest.mark.parametrize("rows", [1, 8, 2000])
def test_blocks_leave_what_is_not_the_broadcast(gpu: bool, rows: int) -> None:
    """A block less is a block less; all rows at once are the script as it is."""
    other = blown(gpu)["other"]
    now = peak(script(gpu), gpu, "other")
    assert now - peak(in_blocks(script(gpu), other, rows), gpu, "other") == (2000 - rows) * other.row_bytes
    assert as_dot(script(gpu), other) is None
