"""Results of a simulation: figures, what they consist of, what is live at the peak, and the state after each step."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Union

from ..findings import Figures
from ..ir import Shape, Site, Unknown
from ..ops.arrays import ItemKind
from .script import Event


class Origin(enum.Enum):
    """How a figure was obtained, and therefore how reliable it is."""

    DERIVED = "derived"
    """Computed exactly from the graph and its shapes."""
    MEASURED = "measured"
    """Measured on a device."""
    DEFAULT = "default"
    """A default value that the report names."""
    BOUNDED = "bounded"
    """An upper bound: at least as large as the real figure."""
    ESTIMATE = "estimate"
    """An estimate: what Theano's GPU back-end would need for a graph of a framework that has no such back-end; the real figure may be more
    or less.
    """
    ASSUMED = "assumed"
    """Depends on types that the printed graph does not contain and that were assumed."""
    UNKNOWN = "unknown"
    """The origin of the figure is not known."""


AT_MOST = "this is an upper bound; the real need may be lower"
"""The reason why `fits` is unknown if only an upper bound exceeds the available memory."""
ESTIMATED = "estimate (what if Theano's GPU ran it)"
"""Label of figures with `Origin.ESTIMATE` in reports."""


@dataclass(frozen=True)
class Item:
    """Bytes of one kind of memory at the peak."""

    kind: ItemKind
    """What the memory is used for."""
    bytes: int
    """Bytes of memory of that kind."""
    origin: Origin
    """How far the figure can be trusted."""


class LiveVariable(NamedTuple):
    """One buffer that is live at the peak."""

    variable: str
    """Name of the Variable, or the text of its Op where it has none."""
    op: str | None
    """Text of the Op that made it; None for inputs, shared variables and constants."""
    dtype: str | None
    shape: Shape | Unknown
    nbytes: int
    """Bytes that the allocator holds for it, rounding included."""
    kind: ItemKind
    """What the memory is used for."""
    site: Site | None = None
    """The line of the script that made it."""
    shared: int | None = None
    """Id of the shared variable whose value it is, or whose new value it will be when the call ends; None for all else."""


class Step(NamedTuple):
    """The memory after one node of a call; `live_bytes` is the highest value while it ran."""

    step: int
    """Number of the step in the call, from 0 (the arguments)."""
    node: int | None
    """Apply id; None for the start (arguments) and the end (updates) of the call."""
    live_bytes: int
    """Highest number of live bytes during the step."""
    reserved_bytes: int
    """Reserved bytes after the step."""
    free_bytes: int = 0
    """Bytes reserved but not live after the node."""
    largest_free_bytes: int = 0
    """Size of the largest free block: a larger request goes to the driver."""

    @property
    def scattered_bytes(self) -> int:
        """Free bytes outside of the largest free block."""
        return self.free_bytes - self.largest_free_bytes

    @property
    def fragmentation(self) -> float:
        """Returns 1 - largest free block / all free bytes; 0 if no byte is free."""
        return self.scattered_bytes / self.free_bytes if self.free_bytes else 0.0


def worst_gap(steps: Iterable[Step]) -> Step | None:
    """Returns the step with the most bytes that are reserved but not live, where a preallocation saves most; None if there are no steps."""
    return max(steps, key=lambda s: s.reserved_bytes - s.live_bytes, default=None)


def most_scattered(steps: Iterable[Step]) -> Step | None:
    """Returns the step with the most free bytes outside of the largest free block; None if there are no steps."""
    return max(steps, key=lambda s: s.scattered_bytes, default=None)


@dataclass(frozen=True)
class UnknownSize:
    """A Variable whose size is unknown. With any such Variable, the figures are lower bounds."""

    variable: str
    """Name of the Variable; its Op or type if it has none."""
    op: str | None
    """Text of the Op that makes it; None for an input."""
    reason: str
    """Why the size of the Variable is not known."""


@dataclass(frozen=True)
class MemoryProfile:
    """The predicted memory of a function, from its call with the highest peak. `items`, without fragmentation and context, sum exactly to
    the live peak.
    """

    figures: Figures
    """Figures of that call, but with the highest reserved bytes of all calls, since the driver gets nothing back."""
    items: tuple[Item, ...]
    """Bytes at the peak by kind of memory."""
    at_peak: tuple[LiveVariable, ...]
    """What is live at the peak, largest first; their `nbytes` sum to the live peak."""
    timeline: tuple[Step, ...]
    """The state after each step of the call."""
    unknown: tuple[UnknownSize, ...] = ()
    """Variables of unknown size: with any, the figures are lower bounds."""
    origin: Origin = Origin.DERIVED
    """How far the figures can be trusted.

    ESTIMATE or BOUNDED where the device graph is not the framework's own; BOUNDED also where a size is an upper bound.
    """
    order: tuple[int, ...] = ()
    """Apply ids in the order in which they run."""
    call: int = 0
    """Number of the call that the profile shows (0-based)."""


PREALLOCATION = "gpuarray.preallocate requests "
"""Start of the message about a preallocation that the device refuses."""


@dataclass(frozen=True)
class ProcessProfile:
    """All functions and shared variables of a script on one allocator, over all events in order."""

    functions: Mapping[int, MemoryProfile]
    """Profiles by index of the function; functions that were never called are absent."""
    live_peak_bytes: int
    """Highest number of live bytes over all events."""
    reserved_peak_bytes: int
    """Highest number of reserved bytes over all events."""
    persistent_bytes: int
    """Bytes that are still live after the last event."""
    fits: bool | Unknown
    """Whether every request was within the device's free memory; Unknown where a size is unknown."""
    failure: str | None = None
    """Message about the first request that the device could not serve; None if there is none."""
    failed_function: int | None = None
    """Index of the function in whose call that request was made."""
    failed_event: Event | None = None
    """The event of the script that made that request; None if nothing failed, or the start of the back-end made it."""
    calls: Mapping[int, tuple[Figures, ...]] = field(default_factory=dict)
    """Figures of every call, by index of the function."""
    driver_requests: int = 0
    """Number of blocks requested from the driver, including those at the start of the back-end."""
    simulated: object = field(default=None, compare=False, repr=False)
    """The simulated script and settings (a `memory.timeline.Simulated`), from which formats draw the timeline."""

    def deciding_bytes(self, on_host: bool) -> int:
        """Returns the peak that decides whether the script fits: live bytes on the host, reserved bytes on a device."""
        return self.live_peak_bytes if on_host else self.reserved_peak_bytes

    @property
    def estimated(self) -> bool:
        """Whether the figures of any function are estimates (`Origin.ESTIMATE`): the real ones may be higher."""
        return any(p.origin is Origin.ESTIMATE for p in self.functions.values())

    @property
    def bounded(self) -> bool:
        """Whether the figures of any function are upper bounds (`Origin.BOUNDED`): the real ones may be lower."""
        return any(p.origin is Origin.BOUNDED for p in self.functions.values())

    @property
    def certain_bytes(self) -> int:
        """A lower bound of the need in bytes: the largest exact part (`Origin.DERIVED`) of a function's peak."""
        return max((sum(i.bytes for i in p.items if i.origin is Origin.DERIVED) for p in self.functions.values()), default=0)

    @property
    def refused(self) -> bool:
        """Whether the device refuses the preallocation, so that the back-end does not start."""
        return self.failure is not None and self.failure.startswith(PREALLOCATION)

    def may_be_less(self, available: int | None) -> bool:
        """Returns whether the script may still fit although the predicted need exceeds the `available` bytes: only an upper bound exceeds
        them, not the certain part.
        """
        return self.fits is False and self.bounded and not self.refused and (available is None or self.certain_bytes <= available)

    def judged(self, available: int | None) -> ProcessProfile:
        """Returns a copy of the profile in which `fits` is Unknown if only an upper bound exceeds the `available` bytes."""
        return replace(self, fits=Unknown(AT_MOST)) if self.may_be_less(available) else self


Bytes = Union[int, Unknown]
"""A number of bytes, or Unknown with the reason."""


@dataclass(frozen=True)
class Verdict:
    """One figure, predicted and measured, in bytes."""

    name: str
    """Name of the figure, as in JSON: `live_peak_bytes` for instance."""
    predicted: Bytes
    """The predicted figure."""
    measured: Bytes
    """Unknown, with the reason, where the device or the framework does not report it."""

    @property
    def error_bytes(self) -> int | None:
        """Returns predicted minus measured bytes, negative for an under-estimate; None if either is unknown."""
        if isinstance(self.predicted, Unknown) or isinstance(self.measured, Unknown):
            return None
        return self.predicted - self.measured

    @property
    def error_percent(self) -> float | None:
        """Returns the error in per cent of the measured figure; None if either figure is unknown, or if 0 was measured and more
        predicted.
        """
        error = self.error_bytes
        if error is None or isinstance(self.measured, Unknown) or (error and not self.measured):
            return None
        return 100.0 * error / self.measured if error else 0.0

    @property
    def under(self) -> bool:
        """Whether the prediction is lower than the measured figure."""
        return (self.error_bytes or 0) < 0


@dataclass(frozen=True)
class NodeVerdict:
    """Predicted and measured peak of live bytes while one node ran."""

    step: int
    """Position in the order in which the nodes ran (0-based)."""
    node: int
    """Apply id in the function's graph."""
    op: str
    """Text of the node's Op."""
    predicted: int
    """Predicted peak in bytes."""
    measured: int
    """Measured peak in bytes."""
