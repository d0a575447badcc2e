"""TD090: less was predicted than was measured

What it finds
    A figure of a real run (`--confirm`) that lies above the prediction: the live peak of a call, what it took from the driver, or what was
    live before or after it.

Why it matters
    A prediction that is too low says "fits" where the job then runs out of memory. It is a defect of theanodiag, not of the script.

Example
    `live_peak_bytes` of `train`, call 0: 2509376 bytes predicted, 2510400 measured; the first node where they part is step 5, GpuElemwise.

What to do
    Report it with the lines of the finding and, where it may be shown, the script. Until it is mended, add the difference to the need.

Limits
    Says nothing about functions with unknown sizes, whose figures are lower bounds anyway (TD001). On the host only arrays between two
    nodes are seen, so that a figure that looks right may still be too low.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...findings import Confidence, Finding, Fix, Location, Severity
from ...memory.verdict import NodeVerdict, Verdict
from ..base import Rule
from ..confirmed_subject import ConfirmedFunction, ConfirmedSubject

FIX = Fix("report it with these lines and the script, as a defect of theanodiag")


def check(s: ConfirmedSubject) -> Iterator[Finding]:
    """One finding for each function with a prediction that was too low, with its worst figure."""
    for function in s.functions:
        low = [(k, v) for k, row in enumerate(function.calls) for v in row if v.under]
        if low and not function.bound:
            call, worst = min(low, key=lambda pair: pair[1].error_bytes or 0)
            severity = Severity.ERROR if s.exact else Severity.WARNING
            message = f"{function.name}, call {call}: {worst.name} is {-(worst.error_bytes or 0)} bytes more than predicted"
            place = Location(s.model, detail=function.name)
            yield Finding("TD090", severity, Confidence.MEASURED, message, place, FIX, notes=tuple(_notes(s, function, worst)))


def _notes(s: ConfirmedSubject, function: ConfirmedFunction, worst: Verdict) -> Iterator[str]:
    """Notes with all that is needed to report the error."""
    yield f"predicted {worst.predicted}, measured {worst.measured}"
    if function.parted is not None:
        n = function.parted
        yield f"first node: step {n.step}, node {n.node}, {n.op}: predicted {n.predicted}, measured {n.measured}"
    yield from s.facts


def _example(measured: int) -> ConfirmedSubject:
    function = ConfirmedFunction("train", ((Verdict("live_peak_bytes", 100, measured),),), NodeVerdict(5, 7, "GpuElemwise", 90, measured))
    return ConfirmedSubject("model.py", True, (function,), ("device: example",))


RULE = Rule(
    "TD090",
    "under-estimate",
    check,
    __doc__,
    fires=lambda: _example(101),
    silent=lambda: replace(_example(100), exact=False),
)
