"""The timeline of a whole script, with every allocation: it adds up to the figures that the same simulation reports."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.golden.recordings import read, scripts
from tests.golden.replay import CARD, VIRTUAL, captured
from theanodiag.devices import HOST
from theanodiag.ir.builder import GraphBuilder, on_device
from theanodiag.memory.script import Call
from theanodiag.memory.settings import AllocatorKind, MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.memory.timeline import Simulated, Timeline
from theanodiag.ops.arrays import ItemKind
from theanodiag.report.event_timeline import timeline
from theanodiag.rules.examples import DOT, built, dot_script
from theanodiag.workflows import compose

RECORDED = {s.name: s for s in scripts()}
SOME = ("truth-lstm", "truth-vgg16", "truth-branches", "truth-handed", "example-mlp_sgd-theano", "example-mlp_sgd-pytensor_new")
"""Nets, branches that are guessed, device arrays that the script holds, and graphs of the host that are placed on a device."""


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("on_host", [False, True], ids=["device", "host"])
def test_it_adds_up_to_the_figures_of_the_report(name: str, on_host: bool) -> None:
    """Live and reserved peak, and what is live at the end, to the byte; and no two allocations that live together overlap."""
    device = HOST if on_host else VIRTUAL if RECORDED[name].on_device else CARD
    process = compose.report(captured(read(RECORDED[name].file)), device).process
    assert isinstance(process.simulated, Simulated)
    found = timeline(process.simulated)
    assert (found.live_peak_bytes, found.reserved_peak_bytes, found.live[-1]) == (
        process.live_peak_bytes, process.reserved_peak_bytes, process.persistent_bytes,
    )  # fmt: skip
    assert sum(a.held for a in found.at(found.peak_clock)) == found.live_peak_bytes
    no_overlap(found)


def no_overlap(found: Timeline) -> None:
    """At the peak and at each end of an event every allocation lies in a block of the driver, beside the others."""
    born = [a.born for a in found.allocations]
    assert born == sorted(born)
    assert all(a.died is None or a.died > a.born for a in found.allocations)
    for clock in {found.peak_clock, *(s.end for s in found.spans)}:
        edge = 0
        blocks = found.regions(clock)
        assert sum(size for _, size in blocks) == found.reserved[clock]
        for a in sorted(found.at(clock), key=lambda a: a.address):
            assert a.address >= edge
            edge = a.address + a.held
            assert any(low <= a.address and edge <= low + size for low, size in blocks)


def test_steps_lie_in_the_call_and_rise() -> None:
    """Each node of a call ends within its event, in the order of the run; the clock of an event begins where that of the last one ends."""
    process = compose.report(captured(read(RECORDED["truth-lstm"].file)), VIRTUAL).process
    assert isinstance(process.simulated, Simulated)
    found = timeline(process.simulated)
    calls = [s for s in found.spans if isinstance(s.event, Call)]
    assert [s.call for s in calls] == [0, 1, 2]
    for span, following in zip(found.spans, found.spans[1:]):
        assert span.end == following.start
    for span in calls:
        clocks = [span.start, *(step.clock for step in span.steps), span.end]
        assert clocks == sorted(clocks)
        nodes = [step.node for step in span.steps if step.node is not None]
        assert sorted(nodes) == list(range(len(found.script.functions[0].graph.applies)))
    assert found.title(calls[1]) == "train, call 2"


@pytest.mark.parametrize("most", [40, 150, 369, 1000])
def test_the_part_around_the_peak_is_as_in_the_whole(most: int) -> None:
    """Live and reserved bytes at each clock are those of the whole, also where it begins or ends in the middle of a call."""
    process = compose.report(captured(read(RECORDED["truth-lstm"].file)), VIRTUAL).process
    assert isinstance(process.simulated, Simulated)
    whole = timeline(process.simulated)
    part = whole.around_peak(most)
    assert part.end == min(most, whole.end)
    assert part.live_peak_bytes == whole.live_peak_bytes
    first = whole.peak_clock - part.peak_clock
    assert part.live == whole.live[first : first + part.end + 1]
    assert part.reserved == whole.reserved[first : first + part.end + 1]
    assert all(0 <= s.start <= step.clock <= s.end <= part.end for s in part.spans for step in s.steps)
    assert {part.title(part.spans[a.span]) for a in part.allocations if a.span >= 0} <= {whole.title(s) for s in whole.spans}


def test_an_unlimited_device_and_a_full_one_have_the_same_allocations() -> None:
    """A request that does not fit is served all the same, so that the need is known."""
    script = dot_script(100, 2000)
    free = timeline(Simulated(script, MemorySettings()))
    full = timeline(Simulated(script, replace(MemorySettings(), total_bytes=1 << 20, free_bytes=1 << 20)))
    assert free.allocations == full.allocations


@pytest.mark.parametrize("allocator", [AllocatorKind.GPUARRAY, AllocatorKind.XLA])
def test_an_updated_value_is_the_new_one_until_the_call_ends_and_then_the_variables(allocator: AllocatorKind) -> None:
    """Beside the old value it is called the new one, in each call; from the end of the call on it is what the shared variable is."""
    b = GraphBuilder("train")
    w = b.shared("W", on_device(100, 100))
    b.update(w, b.apply(DOT, [w, w], on_device(100, 100)))
    script, settings = built(b, calls=2), MemorySettings(allocator=allocator)
    both = [("W", ItemKind.SHARED, 0), ("new value of W", ItemKind.OUTPUT, 0)]
    assert sorted((v.variable, v.kind, v.shared) for v in simulate(script, settings).functions[0].at_peak if v.shared is not None) == both
    drawn = timeline(Simulated(script, settings))
    second = drawn.spans[-1]
    held = [[(a.tag.variable, a.tag.kind, a.tag.shared) for a in drawn.at(clock)] for clock in range(second.start, second.end + 1)]
    assert any(set(both) <= set(row) for row in held)
    assert held[0] == held[-1] == both[:1]
