"""The devices on which scripts run for real, the results of a run, and of its comparison with the prediction. Sizes are in bytes."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Union

from ..capture.model import InstrumentRequest
from ..ir import Unknown
from ..ir.serial import Cursor
from ..memory.profile import Bytes, NodeVerdict, Verdict
from ..memory.settings import MemorySettings

__all__ = [
    "Bytes", "CallMeasurement", "DeviceSpec", "FunctionConfirmation", "Measured", "NodeMeasurement", "NodesCompared",
    "NodeVerdict", "OutOfMemory", "Tight", "Timing", "Verdict", "CompiledWhole",
]  # fmt: skip

BEFORE, PEAK, AFTER, RESERVED = "live_before_bytes", "live_peak_bytes", "live_after_bytes", "reserved_bytes"
"""Names of figures of one call: live bytes before, at the peak and after, and bytes taken from the driver."""
HOST_TO_DEVICE = "host_to_device_bytes"
"""Bytes copied to the device. Devices may have further figures, such as XLA's `arguments_bytes`, `outputs_bytes`, `temporaries_bytes`."""


@dataclass(frozen=True)
class DeviceSpec:
    """Description of the device on which a prediction was confirmed."""

    kind: str
    """One of `kinds.KINDS`."""
    line: str
    """One sentence: what the device is, and what cannot be measured on it."""
    exact: bool
    """Whether its figures come from the allocator itself and are exact to the byte."""
    computes: bool
    """Whether the script computes real numbers there (not on `virtual`)."""
    total_bytes: int | None = None
    """The device's memory in bytes; None where unknown."""
    free_bytes: int | None = None
    """Bytes free once the context was open; None where unknown."""
    instead_of: tuple[tuple[str, str], ...] = ()
    """Better kinds of devices that were not available: (kind, reason)."""


@dataclass(frozen=True)
class NodeMeasurement:
    """Measurements while one node of a call ran."""

    position: int
    """The node's position in the function's topological order, which is its Apply id."""
    op: str
    """Class name of the node's Op."""
    live_bytes: int
    """Peak of live bytes while it ran; each buffer is counted once."""


@dataclass(frozen=True)
class CompiledWhole:
    """What a compiler of whole graphs received for a function: inputs compiled in as constants, and the dtypes it uses."""

    constants: tuple[int, ...] = ()
    """Positions of the inputs whose values were compiled in as constants."""
    arguments: tuple[str | None, ...] = ()
    """The dtype of each input as the compiler has it; None for inputs that are no array or not passed. Empty where it is not reported."""
    results: tuple[str | None, ...] = ()
    """The dtype of each output as the compiler has it; None for what is no array. Empty where it is not reported."""


@dataclass(frozen=True)
class CallMeasurement:
    """Measurements of one call of a function."""

    function: int
    """Number of the function in the capture."""
    call: int
    """0-based number among the recorded calls of the function."""
    figures: Mapping[str, Bytes]
    """Name of the figure -> measured bytes."""
    nodes: tuple[NodeMeasurement, ...] = ()
    """The nodes in execution order; empty where the function does not run node by node."""
    seconds: float | Unknown = field(default_factory=lambda: Unknown("it was not timed"))
    """Wall time from the call until the results were computed."""
    estimated: Mapping[str, int] = field(default_factory=dict)
    """Figures that the compiler (XLA) gave before the run; they replace our predictions."""
    whole: CompiledWhole | None = None
    """What a whole-graph compiler received for the function; None if its nodes run one by one."""


@dataclass(frozen=True)
class OutOfMemory:
    """An allocation that failed during the run."""

    function: int | None
    """Number of the function that was running; None outside of any call."""
    call: int | None
    """Number of the running call among the recorded ones."""
    node: int | None
    """Apply id of the node that was running; None where unknown."""
    op: str | None
    """Class name of the Op that was running; None where unknown."""
    asked_bytes: int | None
    """Size of the refused request; None where unknown."""
    live_bytes: int
    """Bytes that were live when the request was refused."""
    tensors: tuple[tuple[str, int], ...] = ()
    """The live arrays, largest first: (variable, bytes)."""
    message: str = ""
    """The exception's first line."""


@dataclass(frozen=True)
class Measured:
    """Everything that the instrument reported about one run."""

    calls: tuple[CallMeasurement, ...]
    process: Mapping[str, Bytes] = field(default_factory=dict)
    """Figures of the whole process, such as `context_bytes` or `resident_peak_bytes`."""
    out_of_memory: OutOfMemory | None = None
    notes: tuple[str, ...] = ()
    """Remarks of the instrument, such as what it could not measure, in sentences."""


class ConfirmDevice(Protocol):
    """A device on which a script can run: the environment and flags that make a process use the device, and the instrument that measures on
    it.
    """

    @property
    def spec(self) -> DeviceSpec:
        """Description of the device for the report."""

    @property
    def instrument(self) -> InstrumentRequest:
        """The request for the instrument that measures on this device: its program and options."""

    @property
    def flags(self) -> Mapping[str, str]:
        """Returns the flags with which the framework uses this device. The graph depends on these flags, so the prediction uses
        them too.
        """

    def environment(self, base: Mapping[str, str], folder: Path) -> dict[str, str]:
        """Returns `base`, which already contains `flags`, with the variables added that make a process use the device.

        `folder` is empty, and is deleted after the run.
        """

    def settings(self, settings: MemorySettings) -> MemorySettings:
        """Returns `settings`, adapted so that the simulation behaves like this device."""

    def limited(self, nbytes: int) -> Union[ConfirmDevice, Unknown]:
        """Returns the same device with room for only `nbytes` bytes of arrays (`--tight`); Unknown with the reason if it cannot
        be limited.
        """

    def read(self, events: Sequence[Mapping[str, object]]) -> Measured:
        """Builds the measurements of a run from the instrument's events."""


@dataclass(frozen=True)
class NodesCompared:
    """Predicted and measured peaks of the nodes of one call, compared one by one."""

    compared: int
    """Number of nodes that were compared."""
    equal: int
    """Number of nodes whose peaks are equal to the byte."""
    first: NodeVerdict | None = None
    """The first node whose peaks differ; None where all are equal."""


@dataclass(frozen=True)
class Timing:
    """Wall times of a function's calls, in seconds."""

    median: float
    least: float
    most: float
    calls: int
    """Number of timed calls."""
    marked: bool
    """Whether the instrument also measured at every node, which slows the calls down."""


@dataclass(frozen=True)
class FunctionConfirmation:
    """The comparison for one function: the figures of every call, and the nodes of the call with the highest predicted peak."""

    index: int
    name: str
    calls: tuple[tuple[Verdict, ...], ...]
    """The figures of each call; `live_after_bytes` is what stays allocated after it."""
    nodes: NodesCompared | Unknown
    timing: Timing | Unknown


@dataclass(frozen=True)
class Tight:
    """Runs with the device limited to about the predicted need (`--tight`)."""

    predicted_bytes: int
    """The predicted need: all bytes taken from the driver."""
    runs_at_bytes: int | Unknown
    """The lowest limit at which the script ran."""
    fails_at_bytes: int | Unknown
    """The highest limit at which the script failed."""

    @property
    def margin_bytes(self) -> int | None:
        """Returns the predicted need minus the lowest limit at which the script ran, in bytes; None if it never ran."""
        return None if isinstance(self.runs_at_bytes, Unknown) else self.predicted_bytes - self.runs_at_bytes


# Parses the events of the instrument `agent/measure/calls.py`.


KEPT = "the call handed out device arrays, which the script may keep"
WHOLE = "its linker runs all nodes as one function, so memory between nodes is not measured (linker=cvm runs them one by one)"
NOT_TOLD = "the driver does not report it"
PLACE = "what the instrument told"
"""How error messages call the instrument's events."""


class Reserved(enum.Enum):
    """The source of the figure of reserved bytes (taken from the driver)."""

    TOLD = "told"
    """The driver, or the simulated driver, reports the figure."""
    LIVE = "live"
    """The figure equals the live bytes: every buffer is allocated from the driver itself."""
    HOST = "host"
    """There is no such figure: memory is the host's."""


def read(events: Sequence[Mapping[str, object]], reserved: Reserved) -> Measured:
    """Builds the measurements of a run from the instrument's events; `reserved` says where the figure of reserved bytes comes from."""
    rows = [Cursor(dict(e), step=PLACE) for e in events]
    calls = tuple(c for row in rows if row.maybe_text("what") == "call" and (c := _call(row, reserved)) is not None)
    last = next((row for row in reversed(rows) if row.maybe_text("what") == "process"), None)
    out = next((out_of_memory(row) for row in rows if row.maybe_text("what") == "oom"), None)
    process = {} if last is None else dict(_process(last, reserved, calls))
    return Measured(calls, process, out or _outside(last), tuple(text for row in rows if (text := row.maybe_text("note")) is not None))


def _call(at: Cursor, reserved: Reserved) -> CallMeasurement | None:
    function, seconds = at.maybe_integer("function"), at.key("seconds").number()
    if function is None:
        return None
    peak = _known(at, "peak", WHOLE)
    figures: dict[str, Bytes] = {BEFORE: at.key("before").integer(), PEAK: peak, AFTER: _known(at, "after", KEPT)}
    if reserved is not Reserved.HOST:
        figures[RESERVED] = _known(at, "reserved", NOT_TOLD) if reserved is Reserved.TOLD else peak
        figures[HOST_TO_DEVICE] = _known(at, "copied", "nobody counts")
    nodes = () if at.maybe("nodes") is None else tuple(_node(row) for row in at.rows("nodes"))
    timed = Unknown("it was not timed") if seconds is None else seconds
    return CallMeasurement(function, at.key("call").integer(), figures, nodes, timed)


def _known(at: Cursor, name: str, reason: str) -> Bytes:
    value = at.maybe_integer(name)
    return Unknown(reason) if value is None else value


def _node(at: Cursor) -> NodeMeasurement:
    position, op, live = at.rows()
    return NodeMeasurement(position.integer(), op.text(), live.integer())


def _process(at: Cursor, reserved: Reserved, calls: Sequence[CallMeasurement]) -> Iterator[tuple[str, Bytes]]:
    """Yields (name, value) of the known memory figures of the whole process."""
    unseen = any(isinstance(call.figures[PEAK], Unknown) for call in calls)
    rows = {
        "live_peak_bytes": None if unseen else at.maybe_integer("peak"),
        "reserved_peak_bytes": {
            Reserved.TOLD: at.maybe_integer("reserved_peak"), Reserved.LIVE: at.maybe_integer("peak"), Reserved.HOST: None,
        }[reserved],
        "resident_peak_bytes": at.maybe_integer("resident"),
        "context_bytes": at.maybe_integer("context"),
        "driver_bytes": at.maybe_integer("beside"),
        "process_bytes": at.maybe_integer("process"),
    }  # fmt: skip
    yield from ((name, value) for name, value in rows.items() if value is not None)


def out_of_memory(at: Cursor) -> OutOfMemory:
    """Parses the event `oom`: the allocation that failed, and what was live then."""
    tensors = tuple((name.text(), size.integer()) for name, size in (row.rows() for row in at.rows("tensors")))
    return OutOfMemory(
        at.maybe_integer("function"), at.maybe_integer("call"), at.maybe_integer("node"), at.maybe_text("op"), at.maybe_integer("asked"),
        at.key("live").integer(), tensors, at.maybe_text("message") or "",
    )  # fmt: skip


def _outside(last: Cursor | None) -> OutOfMemory | None:
    """A failed allocation outside of any call, for a shared variable or a constant, or one that was retried; None if there was none."""
    if last is None or not last.maybe_integer("refused"):
        return None
    return OutOfMemory(None, None, None, None, last.maybe_integer("asked"), last.key("live").integer())
