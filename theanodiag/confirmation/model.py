"""What a real run gave, and the prediction beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..ir import Unknown
from ..memory.verdict import Bytes, NodeVerdict, Verdict

__all__ = [
    "Bytes", "CallMeasurement", "Confirmation", "DeviceSpec", "FunctionConfirmation", "Measured", "NodeMeasurement", "NodesCompared",
    "NodeVerdict", "OutOfMemory", "Tight", "Timing", "Verdict", "CompiledWhole",
]  # fmt: skip

BEFORE, PEAK, AFTER, RESERVED = "live_before_bytes", "live_peak_bytes", "live_after_bytes", "reserved_bytes"
HOST_TO_DEVICE = "host_to_device_bytes"
"""Names of figures. Devices may have others, such as XLA's `arguments_bytes`, `outputs_bytes`, `temporaries_bytes`."""


@dataclass(frozen=True)
class DeviceSpec:
    """A device on which a prediction was confirmed, in words and figures."""

    kind: str
    """`cuda`, `opencl`, `virtual`, `cpu`, `jax` or `torch`."""
    line: str
    """One sentence: what it is, and what it cannot tell."""
    exact: bool
    """Whether its figures are those of the allocator itself, to the byte."""
    computes: bool
    """Whether numbers are computed (not on `virtual`)."""
    total_bytes: int | None = None
    free_bytes: int | None = None
    """Free when the context was open; None where it is not known."""
    instead_of: tuple[tuple[str, str], ...] = ()
    """Better devices that could not be used: (kind, why)."""


@dataclass(frozen=True)
class NodeMeasurement:
    """One node of one call."""

    position: int
    """Apply id: the node's place in the toposort of its function."""
    op: str
    live_bytes: int
    """Highest live bytes while it ran; each buffer counted once."""
    reserved_bytes: int | None = None
    """Taken from the driver when it ended."""


@dataclass(frozen=True)
class CompiledWhole:
    """How a compiler took a function."""

    constants: tuple[int, ...] = ()
    """Positions of the inputs whose values were compiled in, so that they are no arguments."""
    arguments: tuple[str | None, ...] = ()
    """Dtypes by the inputs' positions, as the compiler has them; None for what is no array or not passed; empty where it does not tell."""
    results: tuple[str | None, ...] = ()
    """The same of the outputs."""


@dataclass(frozen=True)
class CallMeasurement:
    """One call of a function."""

    function: int
    """Number of the function, as the capture gives it."""
    call: int
    """0-based, among the calls that were recorded."""
    figures: Mapping[str, Bytes]
    """Name of the figure -> bytes."""
    nodes: tuple[NodeMeasurement, ...] = ()
    """In the order in which they ran; empty where they cannot be told apart."""
    seconds: float | Unknown = field(default_factory=lambda: Unknown("it was not timed"))
    """Wall time until the results were there."""
    estimated: Mapping[str, int] = field(default_factory=dict)
    """Figures that the compiler itself gave before the run (XLA): they are then the prediction."""
    whole: CompiledWhole | None = None
    """How a compiler took the function as one piece; None where its nodes run one by one."""


@dataclass(frozen=True)
class OutOfMemory:
    """The device had no room in the middle of the run."""

    function: int | None
    """None outside of any call."""
    call: int | None
    node: int | None
    """Apply id."""
    op: str | None
    asked_bytes: int | None
    live_bytes: int
    tensors: tuple[tuple[str, int], ...] = ()
    """What was live, largest first: (variable, bytes)."""
    message: str = ""
    """The exception's last line."""


@dataclass(frozen=True)
class Measured:
    """All that the instrument told of one run."""

    calls: tuple[CallMeasurement, ...]
    process: Mapping[str, Bytes] = field(default_factory=dict)
    """Figures of the whole process, such as `context_bytes` or `resident_peak_bytes`."""
    out_of_memory: OutOfMemory | None = None
    notes: tuple[str, ...] = ()
    """What the instrument could not do, and other remarks, in sentences."""


@dataclass(frozen=True)
class NodesCompared:
    """The nodes of one call, one by one."""

    compared: int
    equal: int
    first: NodeVerdict | None = None
    """The first node where prediction and measurement part."""


@dataclass(frozen=True)
class Timing:
    """Wall time of a function's calls, in seconds."""

    median: float
    least: float
    most: float
    calls: int
    """How many were timed."""
    marked: bool
    """Whether the instrument looked at every node meanwhile, which takes time of its own."""


@dataclass(frozen=True)
class FunctionConfirmation:
    """One function: every call's figures, and the nodes of the call with the highest predicted peak."""

    index: int
    name: str
    calls: tuple[tuple[Verdict, ...], ...]
    """Per call the figures: what stays after the first, second and third call is their `live_after_bytes`."""
    nodes: NodesCompared | Unknown
    timing: Timing | Unknown


@dataclass(frozen=True)
class Tight:
    """A run with the device limited to what is needed (`--tight`)."""

    predicted_bytes: int
    """The need as predicted: all that is taken from the driver."""
    runs_at_bytes: int | Unknown
    """The least limit at which it was seen to run."""
    fails_at_bytes: int | Unknown
    """The highest limit at which it was seen to fail."""

    @property
    def margin_bytes(self) -> int | None:
        """Predicted less the least limit at which it ran; None where it never ran."""
        return None if isinstance(self.runs_at_bytes, Unknown) else self.predicted_bytes - self.runs_at_bytes


@dataclass(frozen=True)
class Confirmation:
    """A real run beside the prediction."""

    device: DeviceSpec
    functions: tuple[FunctionConfirmation, ...]
    process: tuple[Verdict, ...] = ()
    """Figures of the whole script."""
    out_of_memory: OutOfMemory | None = None
    tight: Tight | Unknown | None = None
    """None where it was not asked for."""
    notes: tuple[str, ...] = ()
    """What is to be known about the run: how it ended, what was not the same as in the prediction."""
    failure: str | None = None
    """How the measured run ended before its time; the exit code is then not 0. None: as its author meant."""
    estimate_bytes: int | None = None
    """The highest peak that XLA gave before its functions ran: the verdict is then made from it. None: from the simulation."""
