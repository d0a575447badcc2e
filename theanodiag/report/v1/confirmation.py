"""The key `confirmation` of `report/v1`. An unknown figure is null, with the reason under `unknown`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Optional, Union

from ...confirmation.model import PEAK, DeviceSpec, FunctionConfirmation, NodesCompared, OutOfMemory, Tight, Verdict
from ...ir import Unknown
from .common import Bytes, Count, Part, UnknownV1, either, from_attributes, number_or_none, optional

if TYPE_CHECKING:
    from ..confirmed import Confirmation


class InsteadV1(Part):
    """A better kind of device that was not available."""

    kind: str
    reason: str


class RanOnV1(Part):
    """The device on which the script ran."""

    kind: str
    line: str
    exact: bool
    """whether its figures come from the allocator itself and are exact to the byte"""
    computes: bool
    """whether the script computes real numbers there"""
    total_bytes: Optional[Bytes]
    free_bytes: Optional[Bytes]
    instead_of: list[InsteadV1]

    @classmethod
    def of(cls, d: DeviceSpec) -> RanOnV1:
        """Returns the JSON object of a device."""
        return cls(
            kind=d.kind, line=d.line, exact=d.exact, computes=d.computes, total_bytes=d.total_bytes, free_bytes=d.free_bytes,
            instead_of=[InsteadV1(kind=kind, reason=reason) for kind, reason in d.instead_of],
        )  # fmt: skip


class VerdictV1(Part):
    """One figure, predicted and measured."""

    name: str
    predicted: Optional[int]
    measured: Optional[int]
    error_bytes: Optional[int]
    error_percent: Optional[float]
    unknown: Optional[str]
    """why predicted or measured is null"""

    @classmethod
    def of(cls, v: Verdict) -> VerdictV1:
        """Returns the JSON object of a figure."""
        reasons = [value.reason for value in (v.predicted, v.measured) if isinstance(value, Unknown)]
        return cls(
            name=v.name, predicted=number_or_none(v.predicted), measured=number_or_none(v.measured), error_bytes=v.error_bytes,
            error_percent=v.error_percent, unknown=reasons[0] if reasons else None,
        )  # fmt: skip


class NodeVerdictV1(Part):
    """The peak of live bytes while one node ran."""

    step: int
    node: int
    op: str
    predicted: int
    measured: int


class NodesV1(Part):
    """The peaks of the nodes of a call, compared node by node."""

    compared: int
    equal: int
    first_parting: Optional[NodeVerdictV1]

    @classmethod
    def of(cls, n: NodesCompared) -> NodesV1:
        """Returns the JSON object of the nodes of a call."""
        return cls(compared=n.compared, equal=n.equal, first_parting=optional(partial(from_attributes, NodeVerdictV1), n.first))


class TimingV1(Part):
    """Wall times of a function's calls, in seconds."""

    median: float
    least: float
    most: float
    calls: int
    marked: bool
    """whether the measurement of each node slowed the function down"""


class FunctionConfirmationV1(Part):
    """The comparison for one function."""

    index: int
    name: str
    call: Optional[Count]
    """the call with the highest predicted peak, to which predicted and measured refer"""
    predicted: dict[str, Optional[int]]
    measured: dict[str, Optional[int]]
    calls: list[list[VerdictV1]]
    nodes: Annotated[Any, either("UnknownV1", "NodesV1")]
    seconds: Annotated[Any, either("UnknownV1", "TimingV1")]

    @classmethod
    def of(cls, f: FunctionConfirmation) -> FunctionConfirmationV1:
        """Returns the JSON object of a function."""
        highest = max(range(len(f.calls)), key=lambda k: _peak(f.calls[k]), default=None)
        row = () if highest is None else f.calls[highest]
        return cls(
            index=f.index,
            name=f.name,
            call=highest,
            predicted={v.name: number_or_none(v.predicted) for v in row},
            measured={v.name: number_or_none(v.measured) for v in row},
            calls=[list(map(VerdictV1.of, row)) for row in f.calls],
            nodes=UnknownV1(unknown=f.nodes.reason) if isinstance(f.nodes, Unknown) else NodesV1.of(f.nodes),
            seconds=UnknownV1(unknown=f.timing.reason) if isinstance(f.timing, Unknown) else from_attributes(TimingV1, f.timing),
        )


def _peak(row: Sequence[Verdict]) -> int:
    """The predicted peak of a call in bytes, from its compared figures; -1 if it is unknown."""
    return next((v.predicted for v in row if v.name == PEAK and isinstance(v.predicted, int)), -1)


class TensorV1(Part):
    """A live array."""

    variable: Optional[str]
    bytes: Bytes


class OutOfMemoryV1(Part):
    """An allocation that failed during the run."""

    function: Union[int, str, None]
    call: Optional[int]
    node: Optional[int]
    op: Optional[str]
    asked_bytes: Optional[Bytes]
    live_bytes: Optional[Bytes]
    tensors: list[TensorV1]
    message: str

    @classmethod
    def of(cls, o: OutOfMemory) -> OutOfMemoryV1:
        """Returns the JSON object of a failed allocation."""
        return cls(
            function=o.function, call=o.call, node=o.node, op=o.op, asked_bytes=o.asked_bytes, live_bytes=o.live_bytes,
            tensors=[TensorV1(variable=name, bytes=size) for name, size in o.tensors], message=o.message,
        )  # fmt: skip


class TightV1(Part):
    """Runs with the device's memory limited to about the predicted need (`--tight`)."""

    predicted_bytes: Bytes
    runs_at_bytes: Optional[Bytes]
    fails_at_bytes: Optional[Bytes]
    margin_bytes: Optional[int]

    @classmethod
    def of(cls, t: Tight) -> TightV1:
        """Returns the JSON object of such runs."""
        return cls(
            predicted_bytes=t.predicted_bytes, runs_at_bytes=number_or_none(t.runs_at_bytes),
            fails_at_bytes=number_or_none(t.fails_at_bytes), margin_bytes=t.margin_bytes,
        )  # fmt: skip


class ConfirmationV1(Part):
    """A real run compared with the prediction."""

    device: RanOnV1
    on_target: bool
    """whether the script ran on the device that the report is about"""
    fits: Optional[bool]
    """whether the script fitted in the memory of the device that ran it; null if it failed for another reason"""
    functions: list[FunctionConfirmationV1]
    process: list[VerdictV1]
    out_of_memory: Optional[OutOfMemoryV1]
    tight: Annotated[Any, either("TightV1", "UnknownV1", None)]
    """result of --tight; null if it was not given"""
    notes: list[str]
    failure: Optional[str]
    """how the measured run ended too early; the exit code is then not 0"""
    estimate_bytes: Optional[Bytes]
    """peak that a compiler estimated, in bytes"""

    @classmethod
    def of(cls, c: Confirmation) -> ConfirmationV1:
        """Returns the JSON object of a real run."""
        return cls(
            device=RanOnV1.of(c.device),
            on_target=c.on_target,
            fits=c.fits,
            functions=list(map(FunctionConfirmationV1.of, c.functions)),
            process=list(map(VerdictV1.of, c.process)),
            out_of_memory=optional(OutOfMemoryV1.of, c.out_of_memory),
            tight=UnknownV1(unknown=c.tight.reason) if isinstance(c.tight, Unknown) else optional(TightV1.of, c.tight),
            notes=list(c.notes),
            failure=c.failure,
            estimate_bytes=c.estimate_bytes,
        )
