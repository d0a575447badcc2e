"""XLA's allocator beside a plain reading of its rules: a list of pieces, searched from end to end for each request."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theanodiag.memory.allocators import BfcAllocator

MIB = 1 << 20
BLOCK = 256
WASTE = 128 * MIB


@dataclass
class Plain:
    """Pieces by address: [start, size, used]; a region is a list of them that touch."""

    limit: int
    preallocated: bool
    regions: list[list[list[int]]] = field(default_factory=list)
    step: int = 2 * MIB
    taken: int = 0

    def ask(self, nbytes: int) -> tuple[int, int] | None:
        """(region, start) of what is given; None where there is no room."""
        rounded = (nbytes + BLOCK - 1) // BLOCK * BLOCK
        found = self._best(rounded)
        if found is None and self._grow(rounded):
            found = self._best(rounded)
        if found is None:
            return None
        number, at = found
        start, size, _ = piece = self.regions[number][at]
        if size >= 2 * rounded or size - rounded >= WASTE:
            piece[1] = rounded
            self.regions[number].insert(at + 1, [start + rounded, size - rounded, 0])
        piece[2] = 1
        return number, start

    def _best(self, rounded: int) -> tuple[int, int] | None:
        """The smallest free piece, of equal ones the one at the lowest address (regions come one above the other)."""
        free = [(p[1], n, k) for n, region in enumerate(self.regions) for k, p in enumerate(region) if not p[2] and p[1] >= rounded]
        return min(free)[1:] if free else None

    def _grow(self, rounded: int) -> bool:
        left = (self.limit - self.taken) // BLOCK * BLOCK
        if self.preallocated:
            size = self.limit // BLOCK * BLOCK
            if self.regions or rounded > size:
                return False
        else:
            if rounded > left:
                return False
            grown = False
            while rounded > self.step:
                self.step, grown = self.step * 2, True
            size = min(self.step, left)
            self.step *= 1 if grown else 2
        self.regions.append([[0, size, 0]])
        self.taken += size
        return True

    def give(self, number: int, start: int) -> None:
        """Back, and joined to free neighbours."""
        region = self.regions[number]
        next(p for p in region if p[0] == start)[2] = 0
        merged: list[list[int]] = []
        for piece in region:
            if merged and not merged[-1][2] and not piece[2]:
                merged[-1][1] += piece[1]
            else:
                merged.append(piece)
        self.regions[number] = merged

    @property
    def live(self) -> int:
        """Bytes of pieces in use."""
        return sum(p[1] for region in self.regions for p in region if p[2])


SIZES = st.one_of(st.integers(1, 5000), st.integers(1, 40 * MIB), st.sampled_from((256, 257, 511, 512, MIB, 2 * MIB, 300 * MIB)))
STEPS = st.lists(st.tuples(st.booleans(), SIZES, st.integers(0, 1 << 30)), max_size=60)


@given(STEPS, st.booleans(), st.sampled_from((600 * MIB, 90 * MIB + 77)))
@settings(max_examples=300, deadline=None)
def test_it_is_the_plain_reading_of_the_rules(steps: list[tuple[bool, int, int]], preallocated: bool, limit: int) -> None:
    """Bytes in use, bytes taken and the first request without room are the same, request by request."""
    plain, ours = Plain(limit, preallocated), BfcAllocator(limit, preallocated)
    held: list[tuple[tuple[int, int], int]] = []
    for asks, size, which in steps:
        if asks or not held:
            place = plain.ask(size)
            granted = ours.allocate(size)
            assert (place is None) == (ours.shortage is not None)
            if place is None:
                return
            held.append((place, granted.address))
        else:
            place, address = held.pop(which % len(held))
            plain.give(*place)
            ours.release(address)
        assert ours.live == plain.live
        if not preallocated:
            assert ours.reserved == plain.taken


@given(st.lists(st.tuples(st.booleans(), SIZES, st.integers(0, 1 << 30)), max_size=40))
@settings(max_examples=100, deadline=None)
def test_the_reach_of_a_pool_is_a_pool_that_would_do(steps: list[tuple[bool, int, int]]) -> None:
    """Within a limit of what was reached nothing is refused."""

    def run(limit: int | None) -> BfcAllocator:
        allocator = BfcAllocator(limit)
        held: list[int] = []
        for asks, size, which in steps:
            if asks or not held:
                held.append(allocator.allocate(size).address)
            else:
                allocator.release(held.pop(which % len(held)))
        return allocator

    reached = run(None).reserved
    assert run(reached + WASTE).shortage is None
    assert run(None).live <= reached


def test_small_rules() -> None:
    """Rounding to 256, no split below twice the size, nothing for nothing."""
    pool = BfcAllocator(4096)
    assert pool.allocate(0).held == 0
    first = pool.allocate(1)
    assert (first.held, pool.live, pool.reserved) == (256, 256, 256)
    middle, _ = pool.allocate(1000), pool.allocate(1)
    pool.release(middle.address)
    assert pool.allocate(600).held == 1024  # the free piece is no twice as large
    assert pool.shortage is None
    assert pool.allocate(4096).held == 4096
    assert pool.shortage is not None
    assert (pool.shortage.requested, pool.shortage.limit) == (4096, 4096)


@pytest.mark.parametrize("limit", [None, 1 << 30])
def test_regions_double_where_the_pool_grows(limit: int | None) -> None:
    """2 MiB first, then twice as much each time, or the power of two that is enough."""
    pool = BfcAllocator(limit, preallocated=False)
    taken = []
    for size in (1, 3 * MIB, 3 * MIB, 40 * MIB):
        pool.allocate(size)
        taken.append(pool.reserved // MIB)
    assert taken == [2, 6, 14, 78]
