"""The plan that makes a script fit: the best advice that does so, as steps simulated together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..devices.profile import condition
from ..findings import Confidence, Finding, PlanStep, Severity
from .model import Report


@dataclass(frozen=True)
class FitPlan:
    """Changes that make a script fit, and alternatives to them."""

    finding: Finding
    """The finding whose steps form the plan."""
    steps: tuple[PlanStep, ...]
    """At least one step; the bytes of the last step are those of the script with all of them."""
    available_bytes: int
    """Bytes that the device has available for arrays."""
    condition: str | None
    """What it depends on that the script fits then, besides the figures; None if nothing."""
    others: tuple[Finding, ...]
    """Other advice, simulated on its own and not needed here; advice that suffices by itself comes first."""

    @property
    def code(self) -> str:
        """Code of the rule that gives the advice."""
        return self.finding.code

    @property
    def bounded(self) -> bool:
        """Whether the bytes are upper bounds."""
        return self.finding.confidence < Confidence.DERIVED

    @property
    def conclusion(self) -> str:
        """`then it fits: 38582912 of 40097152 bytes`."""
        return f"then it fits: {'at most ' * self.bounded}{self.steps[-1].after_bytes} of {self.available_bytes} bytes"


def plan_of(report: Report) -> FitPlan | None:
    """The plan; None if the script already fits or no advice makes it fit."""
    available = report.target.device.available_bytes
    advice = [f for f in report.findings if f.cost is not None and f.after is not None and f.fix is not None]
    cures = [f for f in advice if f.cures and f.severity >= Severity.WARNING]
    if available is None or report.process.fits is not False or not cures:
        return None
    first = cures[0]
    others = sorted((f for f in advice if f is not first), key=lambda f: not f.cures)
    steps = first.steps or tuple(_alone(report, first))
    return FitPlan(first, steps, available, condition(report.target.device, steps[-1].after_bytes), tuple(others))


def _alone(report: Report, f: Finding) -> Iterator[PlanStep]:
    """The one step that a piece of advice is."""
    if f.fix is not None and f.cost is not None:
        yield PlanStep(f"{f.fix.title}: {f.message}", f.fix.code or f.fix.title, after_bytes(report, f), f.cost, f.fix.changes)


def after_bytes(report: Report, f: Finding) -> int:
    """The peak that decides whether the script fits, with the fix of `f` applied: reserved on a device, live on the host.

    Raises ValueError for a finding without figures.
    """
    if f.after is None:
        raise ValueError(f"{f.code} has no figures")
    return f.after.deciding_bytes(report.target.device.is_host)
