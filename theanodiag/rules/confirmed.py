"""TD090: compares the figures of a real run with the prediction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..findings import Confidence, Finding, Fix, Location, Severity
from ..memory.profile import NodeVerdict, Verdict
from .base import rule


@dataclass(frozen=True)
class ConfirmedFunction:
    """One function that ran for real."""

    name: str
    calls: tuple[tuple[Verdict, ...], ...]
    """For each call, its predicted memory figures with the measured ones."""
    parted: NodeVerdict | None = None
    """The first node at which prediction and measurement differ."""
    bound: bool = False
    """Whether the prediction is a lower bound because sizes are unknown."""


@dataclass(frozen=True)
class ConfirmedSubject:
    """A script's prediction and its real run."""

    model: str
    """Path of the script."""
    exact: bool
    """Whether the device reports figures exact to the byte."""
    functions: tuple[ConfirmedFunction, ...]
    """The functions that ran."""
    facts: tuple[str, ...] = ()
    """Versions, flags and device, one per line, for a bug report."""


FIX = Fix("report it with these lines and the script, as a defect of theanodiag")


@rule(
    "TD090",
    "under-estimate",
    fires=lambda: _example(101),
    silent=lambda: replace(_example(100), exact=False),
)
def under_estimate(s: ConfirmedSubject) -> Iterator[Finding]:
    """TD090: a prediction is lower than the measurement

    What it finds
        Finds a figure of a real run (`--confirm`) that is higher than predicted: the live peak of a call, the memory that the call took
        from the driver, or the memory that was live before or after the call.

    Why it matters
        If a prediction is too low, the verdict may be "fits" although the job runs out of memory. This is a defect of theanodiag, not of
        the script.

    Example
        The finding says `train, call 0: live_peak_bytes is 1024 bytes more than predicted`, and names the first node whose figures differ:
        `step 5, node 7, GpuElemwise`.

    What to do
        Report the defect with the lines of the finding and, if you may publish it, the script. Until the defect is fixed, add the
        difference to the predicted need.

    Limits
        The rule skips functions with unknown sizes, whose figures are lower bounds anyway (TD001). On the host theanodiag measures memory
        only between nodes, so a real peak inside a node may be higher than the measured one.
    """
    for function in s.functions:
        low = [(k, v) for k, row in enumerate(function.calls) for v in row if v.under]
        if low and not function.bound:
            call, worst = min(low, key=lambda pair: pair[1].error_bytes or 0)
            severity = Severity.ERROR if s.exact else Severity.WARNING
            message = f"{function.name}, call {call}: {worst.name} is {-(worst.error_bytes or 0)} bytes more than predicted"
            place = Location(s.model, detail=function.name)
            yield Finding("TD090", severity, Confidence.MEASURED, message, place, FIX, notes=tuple(_notes(s, function, worst)))


def _notes(s: ConfirmedSubject, function: ConfirmedFunction, worst: Verdict) -> Iterator[str]:
    """Yields the notes that a report of the error needs: figures, the first differing node, versions and flags."""
    yield f"predicted {worst.predicted}, measured {worst.measured}"
    if function.parted is not None:
        n = function.parted
        yield f"first node: step {n.step}, node {n.node}, {n.op}: predicted {n.predicted}, measured {n.measured}"
    yield from s.facts


def _example(measured: int) -> ConfirmedSubject:
    function = ConfirmedFunction("train", ((Verdict("live_peak_bytes", 100, measured),),), NodeVerdict(5, 7, "GpuElemwise", 90, measured))
    return ConfirmedSubject("model.py", True, (function,), ("device: example",))
