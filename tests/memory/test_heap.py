"""Buffers: who holds them, how many bytes are live, and what was live at the highest point."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from theanodiag.memory.allocators import BLOCK_BYTES, DirectAllocator, Driver, GpuArrayAllocator
from theanodiag.memory.simulated_device import Heap
from theanodiag.ops.arrays import Buffer, ItemKind, Tag

TAG = Tag(ItemKind.INTERMEDIATE, "x")


def exact_store() -> Heap:
    """A store whose requests go to the driver as they are."""
    return Heap(DirectAllocator(Driver()))


class TestHolders:
    """How long a buffer stays."""

    def test_who_asks_is_the_first_holder(self) -> None:
        """A fresh buffer is held once and counts at once."""
        store = exact_store()
        buffer = store.take(100, TAG)
        assert (buffer.holders, buffer.requested, buffer.held, store.live) == (1, 100, 100, 100)

    def test_a_buffer_stays_until_its_last_holder_drops_it(self) -> None:
        """Two holders: the first drop frees nothing, the second everything."""
        store = exact_store()
        buffer = store.take(100, TAG)
        store.hold(buffer)
        store.drop(buffer)
        assert (store.live, buffer.died) == (100, None)
        store.drop(buffer)
        assert (store.live, buffer.died is None) == (0, False)

    def test_the_clock_moves_with_every_request_and_every_end(self) -> None:
        """Births and deaths have times of their own, so that lifetimes are ordered."""
        store = exact_store()
        first, second = store.take(1, TAG), store.take(1, TAG)
        store.drop(first)
        assert (first.born, second.born, first.died) == (1, 2, 3)


class TestPeaks:
    """The highest points."""

    def test_the_peak_is_the_highest_point_and_not_the_last(self) -> None:
        """100 + 50 were live together; 60 are live at the end."""
        store = exact_store()
        first, second = store.take(100, TAG), store.take(50, TAG)
        store.drop(first)
        store.drop(second)
        store.take(60, TAG)
        assert (store.peak, store.live) == (150, 60)

    def test_a_call_counts_its_peak_from_its_beginning(self) -> None:
        """What an earlier call reached is forgotten; what it left counts."""
        store = exact_store()
        store.take(30, TAG)
        store.drop(store.take(1000, TAG))
        store.begin()
        assert store.peak == 30
        store.take(5, TAG)
        assert store.peak == 35

    def test_at_the_peak_are_exactly_the_buffers_that_were_live_then(self) -> None:
        """Of four buffers the two that lived at the highest point."""
        store = exact_store()
        store.drop(store.take(10, TAG))
        store.begin()
        second, third = store.take(100, TAG), store.take(50, TAG)
        store.drop(second)
        store.take(20, TAG)
        assert store.at_peak() == (second, third)

    def test_what_lived_before_the_call_is_at_its_peak_too(self) -> None:
        """Shared variables are older than the call that has the peak."""
        store = exact_store()
        old = store.take(10, TAG)
        store.begin()
        new = store.take(1, TAG)
        assert store.at_peak() == (old, new)

    def test_a_mark_returns_the_highest_point_since_the_last_one(self) -> None:
        """Within a step memory may go up and down again: the step's figure is the top."""
        store = exact_store()
        store.drop(store.take(70, TAG))
        assert store.mark() == 70
        assert store.mark() == 0

    def test_reserved_counts_whole_blocks(self) -> None:
        """One byte reserves the 4 MiB that the cache asks for at least."""
        store = Heap(GpuArrayAllocator(Driver()))
        store.begin()
        store.take(1, TAG)
        assert (store.live, store.reserved_high) == (64, BLOCK_BYTES)

    def test_reserved_at_its_highest_since_the_call_began(self) -> None:
        """Without a cache a block goes back, but the call did have it."""
        store = exact_store()
        store.begin()
        store.drop(store.take(500, TAG))
        assert (store.reserved_high, store.allocator.reserved) == (500, 0)


class TestRefusals:
    """Requests that the allocator itself does not serve."""

    def limited(self) -> Heap:
        """A cache that may have one block."""
        return Heap(GpuArrayAllocator(Driver(), BLOCK_BYTES))

    def test_a_refused_request_holds_nothing(self) -> None:
        """The buffer exists, so that the script goes on, but has no bytes."""
        store = self.limited()
        buffer = store.take(2 * BLOCK_BYTES, TAG)
        assert (buffer.held, buffer.requested, store.live) == (0, 2 * BLOCK_BYTES, 0)

    def test_dropping_a_refused_buffer_gives_nothing_back(self) -> None:
        """There is no block behind it."""
        store = self.limited()
        store.drop(store.take(2 * BLOCK_BYTES, TAG))
        assert store.live == 0


ACTIONS = st.lists(st.tuples(st.sampled_from(("take", "hold", "drop")), st.integers(0, 5000)), max_size=60)


def played(store: Heap, actions: list[tuple[str, int]]) -> tuple[int, list[Buffer]]:
    """The highest sum of held bytes, counted by hand, and the buffers that are still held."""
    held: list[Buffer] = []
    highest = 0
    for action, n in actions:
        if action == "take":
            held.append(store.take(n, TAG))
        elif held and action == "hold":
            held.append(held[n % len(held)])
            store.hold(held[-1])
        elif held:
            store.drop(held.pop(n % len(held)))
        highest = max(highest, sum(b.held for b in {id(b): b for b in held}.values()))
    return highest, held


@hypothesis(deadline=None)
@given(ACTIONS)
def test_random_histories_agree_with_counting_by_hand(actions: list[tuple[str, int]]) -> None:
    """The peak, the live bytes, and the buffers at the peak are those of a plain count."""
    store = Heap(GpuArrayAllocator(Driver()))
    highest, held = played(store, actions)
    assert store.peak == highest == sum(b.held for b in store.at_peak())
    assert store.live == sum(b.held for b in {id(b): b for b in held}.values())


@hypothesis(deadline=None)
@given(ACTIONS)
def test_no_two_live_buffers_overlap(actions: list[tuple[str, int]]) -> None:
    """Addresses of buffers that live at one time are apart, by all the bytes that they hold."""
    store = Heap(GpuArrayAllocator(Driver()))
    _, held = played(store, actions)
    spans = sorted((b.address, b.address + b.held) for b in {id(b): b for b in held}.values())
    assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:]))
