"""Flags of memory: finds the smallest `gpuarray.preallocate` (`lib.cnmem` before Theano 1.0) with which the script makes only one request
to the driver, and simulates the script with `allow_gc` (and `scan.allow_gc`) changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..memory.allocators import BestFitPool
from ..memory.profile import ProcessProfile
from ..memory.script import Script
from ..memory.settings import AddressPolicy, AllocatorKind, MemorySettings
from ..memory.simulate import Life, placements, simulate_figures
from ..units import MIB


@dataclass(frozen=True)
class CollectionPlan:
    """Flags that make the script fit, and the simulation with them."""

    flags: str
    """The flags as in THEANO_FLAGS, such as `allow_gc=True`."""
    after: ProcessProfile
    """The simulation with these flags."""


def is_off(script: Script, settings: MemorySettings) -> bool:
    """Returns whether garbage collection is off, so that a function keeps its intermediates between calls."""
    return any((settings.allow_gc if f.allow_gc is None else f.allow_gc) is False for f in script.functions)


def with_collection(script: Script, settings: MemorySettings, on: bool, scan: bool | None = None) -> ProcessProfile:
    """Returns the simulation with `allow_gc` set to `on` in all functions, and `scan.allow_gc` to `scan` (None: unchanged)."""
    functions = tuple(replace(f, allow_gc=None) for f in script.functions)
    loops = settings.scan_allow_gc if scan is None else scan
    return simulate_figures(replace(script, functions=functions), replace(settings, allow_gc=on, scan_allow_gc=loops))


def collection_plan(script: Script, settings: MemorySettings) -> CollectionPlan | None:
    """Returns the plan with `allow_gc`, or, if that is not enough, with `scan.allow_gc` too. None if neither makes the script fit."""
    if any(f.in_one_piece for f in script.functions):
        return None  # JAX and PyTorch ignore these flags
    tries: list[tuple[str, bool | None]] = []
    if is_off(script, settings):
        tries.append(("allow_gc=True", None))
    if not settings.scan_allow_gc and any(n.op.name.endswith("Scan") for f in script.functions for n in f.graph.applies):
        tries.append(("allow_gc=True,scan.allow_gc=True" if tries else "scan.allow_gc=True", True))
    for flags, scan in tries:
        after = with_collection(script, settings, True, scan)
        if after.fits is True:
            return CollectionPlan(flags, after)
    return None


CEILING = 0.95
"""Largest share of the device that Theano reserves (Theano 1.0.5, gpuarray/__init__.py, `init_dev`)."""
KEPT_FREE = 50 * MIB
"""Theano warns where fewer bytes than this stay free after the reservation (the same function)."""

SMALLEST = 2
"""Smallest value tried, in MB: 1 would mean a fraction, the whole device."""
PROBE = 64
"""Size in MB of a trial reservation, too large for the first block of the cache."""
AMPLE = 4 << 20
"""Size in MB of a trial reservation that is larger than any script needs; as bytes, which the cache takes at first, it is one block."""
WORTH_IT = 64 * MIB
"""If fewer bytes are reserved, avoiding a driver request is not worth a flag."""


@dataclass(frozen=True)
class PreallocationPlan:
    """A value for the flag `gpuarray.preallocate`, and the simulations without and with it."""

    megabytes: int
    """Value for the flag, in MB of 1048576 bytes; always above 1."""
    before: ProcessProfile
    """The simulation without the flag."""
    after: ProcessProfile
    """The simulation with the flag."""
    flag: str = "gpuarray.preallocate"
    """Name of the flag."""

    @property
    def bytes(self) -> int:
        """Bytes of the block that is reserved at the start."""
        return self.megabytes * MIB

    @property
    def spared_requests(self) -> int:
        """Returns the number of driver requests that the preallocation avoids."""
        return self.before.driver_requests - self.after.driver_requests

    @property
    def cures(self) -> bool:
        """Whether the preallocation makes a script fit that does not fit without it."""
        return self.before.fits is False and self.after.fits is True

    @property
    def recommended(self) -> bool:
        """Whether the preallocation makes the script fit, or saves memory or a request while at least WORTH_IT bytes are reserved."""
        spares = self.after.reserved_peak_bytes < self.before.reserved_peak_bytes or self.spared_requests > 0
        return self.cures or (spares and self.before.reserved_peak_bytes >= WORTH_IT)


def preallocate(script: Script, settings: MemorySettings, before: ProcessProfile, available: int | None) -> PreallocationPlan | None:
    """Returns the plan with the fewest MB with which no further request reaches the driver. None if there is none, or if it does not fit.

    `available` is the number of bytes that the device has for arrays (None: no limit). Applies only to libgpuarray's cache on CUDA and to
    cnmem.
    """
    if settings.hypothetical:
        return None
    if not before.functions or (settings.allocator is not AllocatorKind.GPUARRAY and not has_cnmem(script, settings)):
        return None
    started = _start(script, settings).reserved_peak_bytes
    if before.reserved_peak_bytes == started and before.fits is not False:
        return None
    # A present reservation would be replaced.
    settings = replace(settings, preallocate=0.0, cnmem=0.0)
    started = _start(script, settings).reserved_peak_bytes
    limit = _limit(settings, available, started, before.fits is not False)
    least = max(SMALLEST, (before.live_peak_bytes - _primed(script, settings)) // MIB)
    search = _Reservations(script, settings)
    megabytes = search.least(least, limit)
    if megabytes is None:
        return None
    flag = "gpuarray.preallocate" if settings.allocator is AllocatorKind.GPUARRAY else "lib.cnmem"
    return PreallocationPlan(megabytes, before, search.after(megabytes), flag)


def _limit(settings: MemorySettings, available: int | None, started: int, spare: bool) -> int | None:
    """The most MB that may be reserved; None without a limit. With `spare`, below both of Theano's limits, which leaves a margin; else up
    to the free memory.

    Theano only warns if less than `KEPT_FREE` stays free, and `CEILING` applies to fractions only (gpuarray/__init__.py, `init_dev`).
    """
    # Theano reads the free memory once the context exists, after the cache took its first block.
    kept = KEPT_FREE + 1 if spare or settings.allocator is not AllocatorKind.GPUARRAY else 0
    room = None if available is None else (available - started - kept) // MIB
    share = None if settings.total_bytes is None or not kept else (int(CEILING * settings.total_bytes) - 1) // MIB
    return min((most for most in (room, share) if most is not None), default=None)


def has_cnmem(script: Script, settings: MemorySettings) -> bool:
    """Returns whether the back-end is that of Theano before 1.0, on a device of known size."""
    old = str(script.flags.get("device", "")).startswith("gpu")
    return old and settings.allocator in (AllocatorKind.CNMEM, AllocatorKind.DIRECT) and settings.total_bytes is not None


def reserving(settings: MemorySettings, megabytes: float) -> MemorySettings:
    """Returns the settings with this many MB reserved."""
    if settings.allocator is AllocatorKind.GPUARRAY:
        return replace(settings, preallocate=float(megabytes))
    return replace(settings, allocator=AllocatorKind.CNMEM, cnmem=float(megabytes))


def _start(script: Script, settings: MemorySettings) -> ProcessProfile:
    """The simulation of the back-end's start alone, without the script's events."""
    return simulate_figures(replace(script, events=()), settings)


def _primed(script: Script, settings: MemorySettings) -> int:
    """Bytes that the cache takes in addition to the reserved block. Arrays are placed there too, so the block may be smaller than the live
    peak.
    """
    return max(0, _start(script, reserving(settings, PROBE)).reserved_peak_bytes - PROBE * MIB)


class _Reservations:
    """Simulates reservations of a script, each once."""

    def __init__(self, script: Script, settings: MemorySettings) -> None:
        self.script, self.settings = script, settings
        self._done: dict[int, ProcessProfile] = {}

    def after(self, megabytes: int) -> ProcessProfile:
        """Returns the simulation with this many MB reserved."""
        if megabytes not in self._done:
            self._done[megabytes] = simulate_figures(self.script, reserving(self.settings, megabytes))
        return self._done[megabytes]

    def is_enough(self, megabytes: int) -> bool:
        """Returns whether a script that starts with this block never requests another block from the driver."""
        start = _start(self.script, reserving(self.settings, megabytes))
        return self.after(megabytes).reserved_peak_bytes == start.reserved_peak_bytes

    def least(self, low: int, limit: int | None) -> int | None:
        """Returns the smallest size in MB, from `low` to `limit`, that is enough; None if there is none.

        The search first simulates a block that is too large. The part of it that the script uses is usually the answer.
        """
        if limit is not None and limit < low:
            return None
        size = max(low, -(-_used(self.script, self.settings) // MIB))
        while not self.is_enough(size if limit is None else min(size, limit)):
            if limit is not None and size >= limit:
                return None
            low = size + 1
            size += max(1, size // 8)
        enough = size if limit is None else min(size, limit)
        middle = enough - 1
        while low < enough:
            if self.is_enough(middle):
                enough = middle
            else:
                low = middle + 1
            middle = (low + enough) // 2
        return enough


def _used(script: Script, settings: MemorySettings) -> int:
    """Bytes that the script uses, from its start, of a block that is larger than it needs."""
    roomy = replace(reserving(settings, AMPLE), total_bytes=None, free_bytes=None, address_policy=AddressPolicy.UP, detailed=False)
    _, process = Life(next(placements(script, roomy)), roomy).run()
    pool, blocks = process.device.store.allocator, process.device.driver.blocks
    return pool.end - max(blocks, key=blocks.__getitem__) if isinstance(pool, BestFitPool) else 0
