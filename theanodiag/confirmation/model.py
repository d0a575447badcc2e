"""The devices on which scripts run for real, the results of a run, and of its comparison with the prediction. Sizes are in bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Union

from ..capture.model import InstrumentRequest
from ..ir import Unknown
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
    """The device's memory; None where unknown."""
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
    reserved_bytes: int | None = None
    """Bytes taken from the driver when the node ended; None where unknown."""


@dataclass(frozen=True)
class CompiledWhole:
    """What a whole-graph compiler received for a function: inputs compiled in as constants, and the dtypes it uses."""

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
    """Live bytes when it was refused."""
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
    """A device on which a script can run: the environment and flags that make a process use it, and the instrument that measures there."""

    @property
    def spec(self) -> DeviceSpec:
        """Description of the device for the report."""

    @property
    def instrument(self) -> InstrumentRequest:
        """The instrument that measures on this device."""

    @property
    def flags(self) -> Mapping[str, str]:
        """Flags that the framework needs to use this device. The graph depends on them, so the prediction uses them too."""

    def environment(self, base: Mapping[str, str], folder: Path) -> dict[str, str]:
        """`base`, which contains `flags` already, with the variables that make a process use the device.

        `folder` is empty and deleted after the run.
        """

    def settings(self, settings: MemorySettings) -> MemorySettings:
        """`settings` adapted so that the simulation behaves like this device."""

    def limited(self, nbytes: int) -> Union[ConfirmDevice, Unknown]:
        """The same device with room for only `nbytes` bytes of arrays (`--tight`); Unknown with the reason where it cannot be limited."""

    def read(self, events: Sequence[Mapping[str, object]]) -> Measured:
        """Parses the instrument's events."""


@dataclass(frozen=True)
class NodesCompared:
    """Predicted and measured peaks of the nodes of one call, compared one by one."""

    compared: int
    """Number of nodes."""
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
        """`predicted_bytes` − `runs_at_bytes`; None where the script never ran."""
        return None if isinstance(self.runs_at_bytes, Unknown) else self.predicted_bytes - self.runs_at_bytes
