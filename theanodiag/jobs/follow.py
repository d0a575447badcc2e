"""The plan of a report, followed as far as no person is needed: flags and lines of the script change, and it is checked again."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .. import files
from ..findings import Change, Confidence, FlagChange, Step
from ..plans.source_changes import changed_texts
from ..report.model import Report
from ..report.plan import Plan, after_bytes, deciding_bytes, plan_of
from ..requests import CheckRequest
from .predict import predict


@dataclass(frozen=True)
class Followed:
    """What was changed, and the report on that."""

    steps: tuple[Step, ...]
    """The steps that were followed."""
    before: bytes
    """The script."""
    after: bytes
    """The script with them."""
    report: Report
    """What was found with them."""


def followable(report: Report) -> tuple[Step, ...]:
    """The first steps of the plan that no person has to make; for a script that fits, the preallocation that is recommended."""
    plan = plan_of(report)
    if plan is None:
        return _preallocation(report) if report.process.fits is True else ()
    count = next((k for k, step in enumerate(plan.steps) if not step.changes), len(plan.steps))
    return plan.steps[:count]


def left(report: Report, followed: Sequence[Step]) -> tuple[Step, ...]:
    """The steps of the plan that are left for a person."""
    plan: Plan | None = plan_of(report)
    return () if plan is None else plan.steps[len(followed) :]


def _preallocation(report: Report) -> tuple[Step, ...]:
    found = (f for f in report.findings if f.code == "TD310" and f.fix is not None and f.cost is not None)
    return tuple(Step(f.message, f.fix.code or "", after_bytes(report, f), f.cost, f.fix.changes) for f in found if f.fix and f.cost)


def flags_of(steps: Sequence[Step]) -> tuple[FlagChange, ...]:
    """The flags that they change."""
    return tuple(c for step in steps for c in step.changes if isinstance(c, FlagChange))


def follow(request: CheckRequest, report: Report, steps: Sequence[Step], env: Mapping[str, str]) -> Followed | None:
    """The steps followed, with the flags set as `env` does: the first text of the script whose check gives the bytes that the last step
    promises; None where none does.
    """
    before = files.read(request.path, files.TEXT)
    changes: list[Change] = [c for step in steps for c in step.changes]
    plan = plan_of(report)
    bounded = plan is not None and plan.finding.confidence < Confidence.DERIVED
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        for text in changed_texts(before.decode("latin-1"), changes):
            after = text.encode("latin-1")
            found = predict(request, stdout=nowhere.fileno(), stderr=nowhere.fileno(), source=after, env=env).report
            need = deciding_bytes(found)
            if not found.script.failed and (need == steps[-1].after_bytes or (bounded and need < steps[-1].after_bytes)):
                return Followed(tuple(steps), before, after, found)
    return None
