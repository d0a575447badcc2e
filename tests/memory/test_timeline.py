"""The timeline of a call."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings as hypothesis

from theanodiag.memory.allocators.direct import DirectAllocator
from theanodiag.memory.allocators.driver import Driver
from theanodiag.memory.profile import ItemKind, Step
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.memory.store import Store, Tag
from theanodiag.memory.timeline import Recorder, worst_gap

from .graphs import EXACT, PLAIN, UPLOAD, Sketch, random_sketches

TAG = Tag(ItemKind.INTERMEDIATE, "x")


def test_a_step_notes_its_highest_point() -> None:
    """A workspace of 70 bytes beside a result of 30 is gone when the step ends, but it was there."""
    store = Store(DirectAllocator(Driver()))
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
