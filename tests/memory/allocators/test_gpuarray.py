"""libgpuarray's cache: its rules one by one, and random traces of the real library replayed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theanodiag.confirmation.simulated_cuda import (
    ClientAlloc,
    ClientFree,
    ClientRefused,
    DriverAlloc,
    DriverFree,
    DriverRefused,
    TraceEvent,
    TraceMark,
)
from theanodiag.memory.allocators import BASE, BLOCK_BYTES, TOP, Allocator, DirectAllocator, Driver, GpuArrayAllocator, Grant
from theanodiag.memory.settings import AddressPolicy

from ..stand.run import HERE, traced

MIB = 1 << 20


def served(allocator: Allocator, nbytes: int) -> Grant:
    """A request that has to be served."""
    grant = allocator.allocate(nbytes)
    assert grant is not None
    return grant


def test_requests_are_rounded_up() -> None:
    """To multiples of 64 bytes; nothing counts as one byte."""
    allocator = GpuArrayAllocator(Driver())
    assert [served(allocator, n).held for n in (0, 1, 64, 65)] == [64, 64, 64, 128]


def test_small_requests_share_a_block() -> None:
    """The driver is asked for 4 MiB at least, and once."""
    allocator = GpuArrayAllocator(Driver())
    first, second = served(allocator, 100), served(allocator, 100)
    assert (second.address - first.address, allocator.reserved, allocator.driver_requests) == (128, BLOCK_BYTES, 1)


def test_best_fit_takes_the_lowest_of_equal_pieces() -> None:
    """Of two free pieces of one size the one at the lower address."""
    allocator = GpuArrayAllocator(Driver())
    grants = [served(allocator, 64) for _ in range(4)]
    allocator.release(grants[2].address)
    allocator.release(grants[0].address)
    assert served(allocator, 64).address == grants[0].address


def test_neighbours_merge() -> None:
    """Two released neighbours serve a request of both their sizes."""
    allocator = GpuArrayAllocator(Driver(), max_cache_bytes=BLOCK_BYTES)
    first, second, _ = (served(allocator, n) for n in (MIB, MIB, 2 * MIB))
    allocator.release(second.address)
    allocator.release(first.address)
    assert served(allocator, 2 * MIB).address == first.address


def test_blocks_never_merge() -> None:
    """Two blocks of the driver that touch stay two: nothing spans them."""
    allocator = GpuArrayAllocator(Driver())
    first, second = served(allocator, BLOCK_BYTES), served(allocator, BLOCK_BYTES)
    assert second.address == first.address + BLOCK_BYTES
    allocator.release(first.address)
    allocator.release(second.address)
    assert allocator.largest_free() == BLOCK_BYTES
    assert 2 * allocator.largest_free() == allocator.free_bytes()


def test_the_limit_counts_what_was_ever_taken() -> None:
    """Beyond `max_cache_bytes` a request is refused although the device has room."""
    allocator = GpuArrayAllocator(Driver(), max_cache_bytes=BLOCK_BYTES)
    served(allocator, 3 * MIB)
    assert allocator.allocate(2 * MIB) is None


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6 * MIB)), max_size=60))
def test_no_two_live_pieces_overlap(requests: list[tuple[bool, int]]) -> None:
    """On random requests: pieces are apart, and live plus free is what was reserved."""
    allocator, live = GpuArrayAllocator(Driver()), list[Grant]()
    for release, n in requests:
        if release and live:
            allocator.release(live.pop(n % len(live)).address)
        else:
            live.append(served(allocator, n))
        spans = sorted((g.address, g.address + g.held) for g in live)
        assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:]))
        assert allocator.live == sum(g.held for g in live) <= allocator.reserved


@dataclass
class Replay:
    """One trace of the real library and the allocator that has to do the same."""

    allocator: Allocator
    driver: Driver
    expected: list[TraceEvent] = field(default_factory=list)
    """What the real driver did since the client's last request."""
    requests: int = 0
    initial: bool = False
    """Whether the next block is the one that the start of the context takes."""

    def driver_did(self, event: TraceEvent) -> None:
        """The real driver did something."""
        if self.initial:
            self.initial = False
        else:
            self.expected.append(event)

    def asked(self, nbytes: int, granted: ClientAlloc | None) -> None:
        """A client's request: same address, same size, same requests to the driver."""
        taken, refusals = self.driver.taken, self.driver.refusals
        grant = self.allocator.allocate(nbytes)
        self.requests += 1
        assert (grant and (grant.address, grant.held)) == (granted and (granted.address, granted.held))
        blocks = [e for e in self.expected if isinstance(e, DriverAlloc)]
        assert self.driver.taken - taken == sum(b.nbytes for b in blocks)
        assert len(blocks) <= 1
        assert self.driver.refusals - refusals == sum(isinstance(e, DriverRefused) for e in self.expected)
        if granted:
            assert self.allocator.live == granted.live
        self.expected.clear()


def start(mark: str) -> Replay:
    """An allocator with the options of a trace, the initial block taken."""
    options = dict(word.split("=") for word in mark.split()[2:])
    driver = Driver(4096 * MIB - 300 * MIB, AddressPolicy.FIRST_FIT, strict=True)
    cache = None if options["cache"] == "None" else int(options["cache"])
    allocator: Allocator = DirectAllocator(driver, minimum=1) if cache == 0 else GpuArrayAllocator(driver, cache)
    initial = allocator.allocate(int(options["initial"])) if options["initial"] != "0" else None
    if initial:
        allocator.release(initial.address)
    return Replay(allocator, driver, initial=initial is not None)


def replay(events: Iterator[TraceEvent]) -> tuple[int, int]:
    """Every trace, request by request; how many traces and requests there were."""
    traces = requests = 0
    now: Replay | None = None
    for event in events:
        if isinstance(event, TraceMark):
            requests += now.requests if now else 0
            now = start(event.text) if event.text.startswith("trace") else None
            traces += now is not None
        elif now is None:
            continue
        elif isinstance(event, ClientAlloc):
            now.asked(event.requested, event)
        elif isinstance(event, ClientRefused):
            now.asked(event.requested, None)
        elif isinstance(event, ClientFree):
            now.allocator.release(event.address)
        elif not isinstance(event, DriverFree):
            now.driver_did(event)
    return traces, requests


@pytest.mark.parametrize("seed", [1])
def test_real_traces_are_predicted_address_by_address(seed: int, tmp_path: Path) -> None:
    """Random requests to the real library: every address, size and request to the driver (THEANODIAG_TRACES of them, default 300)."""
    count = int(os.environ.get("THEANODIAG_TRACES", "300"))
    traces, requests = replay(traced(HERE / "fuzz.py", str(count), str(seed), folder=tmp_path))
    assert traces == count
    assert requests > 20 * count


@pytest.mark.parametrize("policy", AddressPolicy)
def test_addresses_of_blocks(policy: AddressPolicy) -> None:
    """Up: above all before; down: below; first fit: into the first gap."""
    driver = Driver(policy=policy)
    first, second, third = (driver.take(1000) for _ in range(3))
    driver.give(second)
    fourth = driver.take(100)
    steps = {
        AddressPolicy.UP: (0, 1024, 2048, 3072),
        AddressPolicy.DOWN: (-1024, -2048, -3072, -3584),
        AddressPolicy.FIRST_FIT: (0, 1024, 2048, 1024),
    }
    base = TOP if policy is AddressPolicy.DOWN else BASE
    assert tuple(a - base for a in (first, second, third, fourth)) == steps[policy]
