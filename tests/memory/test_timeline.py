"""The timeline of a call."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import settings as hypothesis

from theanodiag.memory.allocators import DirectAllocator, Driver, GpuArrayAllocator
from theanodiag.memory.profile import Step, most_scattered, worst_gap
from theanodiag.memory.script import Create, SharedVariable
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.memory.simulated_device import Heap, Recorder
from theanodiag.ops.arrays import ItemKind, Tag

from .graphs import DEVICE, EXACT, PLAIN, UPLOAD, Sketch, random_sketches

TAG = Tag(ItemKind.INTERMEDIATE, "x")


def test_a_step_notes_its_highest_point() -> None:
    """A workspace of 70 bytes beside a result of 30 is gone when the step ends, but it was there."""
    store = Heap(DirectAllocator(Driver()))
    record = Recorder(store)
    result = store.take(30, TAG)
    store.drop(store.take(70, TAG))
    record.after(1, 0)
    record.after(2, 1)
    assert [(s.step, s.node, s.live_bytes) for s in record.steps] == [(1, 0, 100), (2, 1, 30)]
    assert result.holders == 1


def test_the_widest_gap_is_where_most_is_reserved_in_vain() -> None:
    """Of three steps the one with 900 reserved and 100 live."""
    steps = [Step(0, None, 10, 20), Step(1, 0, 100, 900), Step(2, 1, 900, 900)]
    assert worst_gap(steps) == steps[1]


def test_no_step_has_no_gap() -> None:
    """An empty timeline is no error."""
    assert worst_gap([]) is None


def test_a_call_begins_and_ends_with_a_step_of_its_own() -> None:
    """Arguments come before the first node, updates after the last: those steps have no node."""
    s = Sketch()
    (x,) = s.apply(UPLOAD, [s.argument((10, 4))], (10, 4))
    (y,) = s.apply(PLAIN, [x], (10, 4))
    timeline = simulate(s.script([y]), EXACT).functions[0].timeline
    assert [(t.step, t.node) for t in timeline] == [(0, None), (1, 0), (2, 1), (3, None)]
    assert [t.live_bytes for t in timeline] == [0, 160, 320, 160]


@hypothesis(deadline=None, max_examples=50)
@given(random_sketches())
def test_the_timeline_follows_the_order_of_the_nodes(made: tuple[Sketch, list[int]]) -> None:
    """On random graphs: a step for each node that runs, numbered through, and never more live than reserved."""
    sketch, outputs = made
    profile = simulate(sketch.script(outputs), MemorySettings()).functions[0]
    assert tuple(t.node for t in profile.timeline if t.node is not None) == profile.order
    assert [t.step for t in profile.timeline] == list(range(len(profile.order) + 2))
    assert all(t.live_bytes <= t.reserved_bytes for t in profile.timeline)


@hypothesis(deadline=None, max_examples=50)
@given(random_sketches())
def test_reserved_memory_of_the_cache_never_shrinks(made: tuple[Sketch, list[int]]) -> None:
    """Nothing goes back to the driver while the process lives."""
    sketch, outputs = made
    sketch.shapes = {v: (rows * 5_000, *rest) for v, (rows, *rest) in sketch.shapes.items()}
    rows = [t.reserved_bytes for t in simulate(sketch.script(outputs), MemorySettings()).functions[0].timeline]
    assert rows == sorted(rows)


def test_most_scattered_counts_bytes_not_shares() -> None:
    """Much in pieces is worse than little in many."""
    steps = [Step(0, None, 0, 0, 100, 1), Step(1, 0, 0, 0, 1000, 600), Step(2, 1, 0, 0, 1000, 1000)]
    assert most_scattered(steps) == steps[1]
    assert [round(s.fragmentation, 2) for s in steps] == [0.99, 0.4, 0.0]
    assert most_scattered([]) is None


def test_what_is_free_is_noted_at_every_step() -> None:
    """Free pieces of the cache as the node leaves them."""
    allocator = GpuArrayAllocator(Driver())
    store = Heap(allocator)
    record = Recorder(store)
    first, second, third = (store.take(1 << 20, TAG) for _ in range(3))
    record.after(0, None)
    store.drop(first)
    record.after(1, 0)
    store.drop(third)
    record.after(2, 1)
    assert [(s.free_bytes >> 20, s.largest_free_bytes >> 20) for s in record.steps] == [(1, 1), (2, 1), (3, 2)]
    assert second.holders == 1


def test_the_first_node_does_not_run_beside_the_results_of_the_call_before() -> None:
    """Without `allow_gc` those are let go when a call begins; the highest point of its first node comes after that."""
    s = Sketch()
    x = s.shared((1, 1))
    (small,) = s.apply(PLAIN, [x], (1, 1))
    (last,) = s.apply(PLAIN, [small], (100, 1))
    once = s.script([last])
    more = Create(99, (5, 1))
    script = replace(once, shared={**once.shared, 99: SharedVariable(99, "later", DEVICE)}, events=(*once.events, more, once.events[-1]))
    second = simulate(script, MemorySettings(preallocate=-1.0, allow_gc=False)).functions[0]
    assert second.call == 1
    assert [step.live_bytes // 4 for step in second.timeline] == [1 + 1 + 100 + 5, 1 + 1 + 5, 1 + 1 + 100 + 5, 1 + 1 + 100 + 5]
