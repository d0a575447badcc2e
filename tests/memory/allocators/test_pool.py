"""The pool, against the plainest allocator that follows the same rules: a list of pieces, searched from end to end."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theanodiag.memory.allocators import BASE, BestFitPool, Driver, Grant
from theanodiag.memory.settings import AddressPolicy


@dataclass
class Piece:
    """A part of a block of the driver."""

    block: int
    start: int
    size: int
    free: bool


@dataclass
class PlainPool:
    """The rules as they are told: best fit, the lowest address of equals, cut, merge inside a block."""

    driver: Driver
    granule: int
    block_bytes: int
    pieces: list[Piece] = field(default_factory=list)

    def allocate(self, nbytes: int) -> Grant:
        """The first of the smallest free pieces that fit, else a new block."""
        size = max(1, nbytes)
        size += -size % self.granule
        fitting = [p for p in self.pieces if p.free and p.size >= size]
        piece = min(fitting, key=lambda p: (p.size, p.start)) if fitting else self.grow(size)
        if piece.size - size >= self.granule:
            self.pieces.append(Piece(piece.block, piece.start + size, piece.size - size, True))
            piece.size = size
        piece.free = False
        return Grant(piece.start, piece.size)

    def grow(self, size: int) -> Piece:
        """A block of the driver."""
        size = max(size, self.block_bytes)
        address = self.driver.take(size)
        assert address is not None
        self.pieces.append(Piece(address, address, size, True))
        return self.pieces[-1]

    def release(self, address: int) -> None:
        """Free, and one with every free piece of its block that touches it."""
        next(p for p in self.pieces if p.start == address and not p.free).free = True
        while self.merged():
            pass

    def merged(self) -> bool:
        """Whether two free neighbours of one block were made one."""
        for a in self.pieces:
            for b in self.pieces:
                if a.free and b.free and a.block == b.block and a.start + a.size == b.start:
                    a.size += b.size
                    self.pieces.remove(b)
                    return True
        return False

    def largest_free(self) -> int:
        """The largest free piece."""
        return max((p.size for p in self.pieces if p.free), default=0)


REQUESTS = st.lists(st.tuples(st.booleans(), st.integers(0, 700)), max_size=50)


@settings(deadline=None, max_examples=200)
@given(REQUESTS, st.sampled_from([(64, 1024), (64, 64), (128, 512)]), st.sampled_from(list(AddressPolicy)))
def test_every_address_is_that_of_the_plain_allocator(
    requests: list[tuple[bool, int]], rules: tuple[int, int], policy: AddressPolicy
) -> None:
    """On random requests, with small blocks so that there are many: same addresses, same sizes, same blocks of the driver."""
    ours, plain = BestFitPool(Driver(policy=policy), *rules), PlainPool(Driver(policy=policy), *rules)
    live: list[int] = []
    for release, n in requests:
        if release and live:
            address = live.pop(n % len(live))
            ours.release(address)
            plain.release(address)
        else:
            grant = ours.allocate(n)
            assert grant == plain.allocate(n)
            assert grant is not None
            live.append(grant.address)
        assert (ours.largest_free(), ours.reserved) == (plain.largest_free(), plain.driver.taken)


@settings(deadline=None)
@given(REQUESTS)
def test_free_and_live_make_what_is_reserved(requests: list[tuple[bool, int]]) -> None:
    """After every request, and when all is released each block is one free piece again."""
    pool, live = BestFitPool(Driver(), 64, 1024), list[Grant]()
    for release, n in requests:
        if release and live:
            pool.release(live.pop(n % len(live)).address)
        elif (grant := pool.allocate(n)) is not None:
            live.append(grant)
        assert pool.free_bytes() + sum(g.held for g in live) == pool.reserved
    for grant in live:
        pool.release(grant.address)
    assert (pool.live, pool.free_bytes()) == (0, pool.reserved)


def held(pool: BestFitPool, nbytes: int) -> Grant:
    """A request that is served."""
    grant = pool.allocate(nbytes)
    assert grant is not None
    return grant


class TestCutting:
    """What is cut off a free piece."""

    def test_a_rest_of_a_granule_is_cut_off(self) -> None:
        """960 of 1024 bytes leave a piece of 64."""
        pool = BestFitPool(Driver(), 64, 1024)
        assert (held(pool, 960).held, pool.largest_free()) == (960, 64)

    def test_a_smaller_rest_goes_with_the_request(self) -> None:
        """A block of 1000 bytes is no multiple of 64: the 40 bytes that are left go with 960."""
        pool = BestFitPool(Driver(), 64, 1000)
        assert (held(pool, 960).held, pool.largest_free()) == (1000, 0)

    def test_a_request_above_the_block_size_takes_a_block_of_its_own_size(self) -> None:
        """2000 bytes, rounded to 2048."""
        pool = BestFitPool(Driver(), 64, 1024)
        assert (held(pool, 2000).held, pool.reserved, pool.driver_requests) == (2048, 2048, 1)


class TestMerging:
    """What becomes one."""

    @pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
    def test_three_neighbours_become_one_in_any_order(self, order: tuple[int, ...]) -> None:
        """Released in whatever order, 3 times 128 bytes serve 384."""
        pool = BestFitPool(Driver(), 64, 384)
        grants = [held(pool, 128) for _ in range(3)]
        for k in order:
            pool.release(grants[k].address)
        assert (held(pool, 384).address, pool.reserved) == (BASE, 384)

    def test_nothing_merges_across_something_live(self) -> None:
        """The middle one is held: two pieces of 128."""
        pool = BestFitPool(Driver(), 64, 384)
        first, _, last = (held(pool, 128) for _ in range(3))
        pool.release(first.address)
        pool.release(last.address)
        assert (pool.largest_free(), pool.free_bytes()) == (128, 256)


class TestLimits:
    """Requests that are not served."""

    def test_the_pool_s_own_limit_does_not_reach_the_driver(self) -> None:
        """A block that would exceed it is not asked for."""
        pool = BestFitPool(Driver(), 64, 1024, max_bytes=1500)
        held(pool, 1024)
        assert pool.allocate(64) is None
        assert pool.driver_requests == 1

    def test_within_the_limit_free_pieces_are_still_served(self) -> None:
        """The limit is on blocks, not on requests."""
        pool = BestFitPool(Driver(), 64, 1024, max_bytes=1024)
        assert [held(pool, 512).address - BASE for _ in range(2)] == [0, 512]

    def test_a_refusal_of_the_driver_changes_nothing(self) -> None:
        """The request was made, and nothing was taken."""
        pool = BestFitPool(Driver(limit=1000, strict=True), 64, 1024)
        assert pool.allocate(1) is None
        assert (pool.reserved, pool.live, pool.driver_requests, pool.largest_free()) == (0, 0, 1, 0)
