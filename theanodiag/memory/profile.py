"""The result of a simulation: figures, the items they consist of, what is live at the peak, and the timeline."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..findings import Figures
from ..ir import Shape, Site, Unknown
from .script import Event


class ItemKind(enum.Enum):
    """What a piece of memory is for."""

    SHARED = "shared"
    CONSTANT = "constant"
    INPUT = "input"
    """An argument's copy on the device."""
    INTERMEDIATE = "intermediate"
    OUTPUT = "output"
    """Returned to the caller, or the new value of a shared variable until the call ends."""
    INNER = "inner"
    """Inside a Scan or another inner graph."""
    WORKSPACE = "workspace"
    """A buffer that an op takes and gives back while it runs."""
    ROUNDING = "rounding"
    """What the allocator adds to the sizes asked for."""
    FRAGMENTATION = "fragmentation"
    """Reserved, not live."""
    CONTEXT = "context"
    """What the driver takes for itself."""

    __hash__ = object.__hash__
    """As that of `TypeKind`."""


class Origin(enum.Enum):
    """Where a figure comes from."""

    DERIVED = "derived"
    MEASURED = "measured"
    DEFAULT = "default"
    BOUNDED = "bounded"
    """At least as large as the real one."""
    ESTIMATE = "estimate"
    """What Theano's GPU would need if it ran the graph of a framework that has no such GPU: it may be more or less."""
    ASSUMED = "assumed"
    """Rests on types that a text does not print."""
    UNKNOWN = "unknown"


ESTIMATED = "estimate (what if Theano's GPU ran it)"
"""How a report calls figures of `Origin.ESTIMATE`."""


@dataclass(frozen=True)
class Item:
    """One line of the account."""

    kind: ItemKind
    bytes: int
    origin: Origin


class LiveVariable(NamedTuple):
    """One buffer that is live at the peak."""

    variable: str
    """Name, or the op's text where it has none."""
    op: str | None
    """Text of the op that made it; None for inputs, shared variables and constants."""
    dtype: str | None
    shape: Shape | Unknown
    nbytes: int
    """As the allocator counts it (rounded)."""
    kind: ItemKind
    site: Site | None = None


class Step(NamedTuple):
    """The state after (for live_bytes: the highest point during) one node."""

    step: int
    node: int | None
    """Apply id; None for the start (arguments) and the end (updates) of the call."""
    live_bytes: int
    reserved_bytes: int
    free_bytes: int = 0
    """Reserved, not live, once the node is done."""
    largest_free_bytes: int = 0
    """The largest piece of it: a request above this goes to the driver."""

    @property
    def scattered_bytes(self) -> int:
        """Free bytes outside of the largest piece."""
        return self.free_bytes - self.largest_free_bytes

    @property
    def fragmentation(self) -> float:
        """1 - largest piece / all that is free: 0 where one request can have it all (and where nothing is free)."""
        return self.scattered_bytes / self.free_bytes if self.free_bytes else 0.0


def worst_gap(steps: Iterable[Step]) -> Step | None:
    """The step with the most bytes reserved but not live, where a preallocation saves most; None for no steps."""
    return max(steps, key=lambda s: s.reserved_bytes - s.live_bytes, default=None)


def most_scattered(steps: Iterable[Step]) -> Step | None:
    """The step with the most free bytes outside of the largest free block; None for no steps."""
    return max(steps, key=lambda s: s.scattered_bytes, default=None)


@dataclass(frozen=True)
class UnknownSize:
    """A Variable whose size is not known: the figures are lower bounds as long as there is one."""

    variable: str
    op: str | None
    reason: str


@dataclass(frozen=True)
class MemoryProfile:
    """One call of one function on a device. `items` (without fragmentation and context) sum exactly to the live peak."""

    figures: Figures
    """Of that call; but what is reserved is the highest of all calls, since the driver gets nothing back."""
    items: tuple[Item, ...]
    at_peak: tuple[LiveVariable, ...]
    """Largest first; their nbytes plus nothing else make the live peak."""
    timeline: tuple[Step, ...]
    unknown: tuple[UnknownSize, ...] = ()
    origin: Origin = Origin.DERIVED
    """ESTIMATE or BOUNDED where the device graph was not the framework's own; BOUNDED too where a size is an upper bound."""
    order: tuple[int, ...] = ()
    """Apply ids in the order in which they run."""
    call: int = 0
    """Which of the function's calls this is (0-based): the one with the highest peak."""


@dataclass(frozen=True)
class ProcessProfile:
    """All functions and shared variables of a script on one allocator, in call order."""

    functions: Mapping[int, MemoryProfile]
    """By index of the function; functions that were never called are absent."""
    live_peak_bytes: int
    reserved_peak_bytes: int
    persistent_bytes: int
    """Live after the last event."""
    fits: bool | Unknown
    """Whether everything was served on the given device; Unknown where sizes are."""
    failure: str | None = None
    """The first request the device could not serve, in words."""
    failed_function: int | None = None
    failed_event: Event | None = None
    """The event of the script that made that request; None: the start of the back-end made it, or no simulation."""
    calls: Mapping[int, tuple[Figures, ...]] = field(default_factory=dict)
    """Figures of every call, by function."""
    driver_requests: int = 0
    """How often the driver was asked for a block, the start of the back-end included."""
    simulated: object = field(default=None, compare=False, repr=False)
    """What was simulated (a `memory.timeline.Simulated`), for what draws it."""

    @property
    def estimated(self) -> bool:
        """Whether figures are estimates, which the real ones may exceed."""
        return any(p.origin is Origin.ESTIMATE for p in self.functions.values())
