"""Loops over independent steps, in graphs of the real Theano: what they need if all steps are computed at once."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from tests.interpreters import find
from theanodiag.capture.model import visible_gpu
from theanodiag.capture.runner import run_script
from theanodiag.devices import by_name
from theanodiag.memory.script import Script
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate_figures
from theanodiag.plans.graphs.independent_steps import all_steps_at_once

SCRIPT = Path(__file__).parents[1] / "scripts" / "mapped.py"
NEAR = 1024
"""Bytes of small constants by which the graphs differ."""


@cache
def script() -> Script:
    """The script as Theano compiles it for a device."""
    return run_script(SCRIPT, find("theano"), gpu=visible_gpu(by_name("6 GiB")), stdout=os.open(os.devnull, os.O_WRONLY)).script


def index(name: str) -> int:
    """The index of a function."""
    return next(f.index for f in script().functions if f.name == name)


def peak(of: Script, name: str) -> int:
    """The live peak of a function."""
    return simulate_figures(of, MemorySettings()).functions[index(name)].figures.live_peak_bytes


@pytest.mark.parametrize(
    ("name", "loops"),
    [("dense", 2), ("weighted", 2), ("classes", 2), ("numbered", 2), ("dense of new", 1), ("classes of new", 1)],
)
def test_all_steps_at_once_need_what_was_foretold(name: str, loops: int) -> None:
    """The same function, written without a loop and compiled by Theano; the gradient of a loop is a loop that goes too."""
    changed, found = all_steps_at_once(script(), index(name), 0)
    assert len(found) == loops
    assert all(one.whole and one.steps == 200 for one in found)
    assert not any(node.op.name.endswith("Scan") for node in changed.functions[index(name)].graph.applies)
    assert peak(changed, name) == pytest.approx(peak(script(), f"{name} at once"), abs=NEAR)


def test_a_graph_of_the_host_is_placed_on_a_device_without_its_loops() -> None:
    """As for Theano-PyMC, whose graphs are those of the host."""
    host = run_script(SCRIPT, find("theano"), stdout=os.open(os.devnull, os.O_WRONLY)).script
    changed, found = all_steps_at_once(host, index("dense"), 0)
    assert found
    assert not changed.calls(index("dense"))[0].shapes.inner
    settings = MemorySettings(lift=True)
    assert simulate_figures(changed, settings).live_peak_bytes <= simulate_figures(host, settings).live_peak_bytes
