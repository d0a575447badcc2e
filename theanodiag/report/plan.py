"""The plan that makes a script fit: of all advice that does, the first, as steps that were simulated together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..findings import Confidence, Finding, PlanStep, Severity
from .model import Report


@dataclass(frozen=True)
class FitPlan:
    """Changes with which a script fits that does not fit now, and what else would do instead."""

    finding: Finding
    """The advice that the steps are."""
    steps: tuple[PlanStep, ...]
    """At least one; the last one's bytes are those of the script with all of them."""
    available_bytes: int
    """What the device has for arrays."""
    others: tuple[Finding, ...]
    """Advice that was simulated alone and is not needed beside this; what makes the script fit by itself comes first."""

    @property
    def code(self) -> str:
        """Code of the rule whose advice it is."""
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
    """The plan; None for a script that fits, or that no advice makes fit."""
    available = report.target.device.available_bytes
    advice = [f for f in report.findings if f.cost is not None and f.after is not None and f.fix is not None]
    cures = [f for f in advice if f.cures and f.severity >= Severity.WARNING]
    if available is None or report.process.fits is not False or not cures:
        return None
    first = cures[0]
    others = sorted((f for f in advice if f is not first), key=lambda f: not f.cures)
    return FitPlan(first, first.steps or tuple(_alone(report, first)), available, tuple(others))


def _alone(report: Report, f: Finding) -> Iterator[PlanStep]:
    """The one step that a piece of advice is."""
    if f.fix is not None and f.cost is not None:
        yield PlanStep(f"{f.fix.title}: {f.message}", f.fix.code or f.fix.title, after_bytes(report, f), f.cost, f.fix.changes)


def after_bytes(report: Report, f: Finding) -> int:
    """The peak that decides whether the script fits once `f` is followed: reserved on a device, live on the host.

    Raises ValueError for a finding without figures.
    """
    if f.after is None:
        raise ValueError(f"{f.code} has no figures")
    return f.after.live_peak_bytes if report.target.device.is_host else f.after.reserved_bytes
