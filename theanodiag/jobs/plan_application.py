"""Applies a report's plan as far as no person is needed: changes flags and lines of the script, and checks the script again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from .. import files
from ..findings import Change, Confidence, FlagChange, LengthChange, PlanStep
from ..plans.source_changes import changed_texts
from ..processes.group import temporary
from ..report.model import Report
from ..report.next_step import FitPlan, after_bytes, plan_of
from ..report.verdict import needed
from ..requests import CheckRequest
from ..workflows.source_files import own_modules
from .check import predict


@dataclass(frozen=True)
class Followed:
    """The applied steps of a plan, and the report on the changed script."""

    steps: tuple[PlanStep, ...]
    """The steps that were applied."""
    path: str
    """The changed file: the script, or a module that it imports from its folder."""
    before: bytes
    """The original content of the file."""
    after: bytes
    """The changed content of the file."""
    report: Report
    """The report on the changed script."""


def followable(report: Report) -> tuple[PlanStep, ...]:
    """Returns the first steps of the plan, up to the first that cannot be applied automatically. Without a plan: the recommended
    preallocation, if the script fits.
    """
    plan = plan_of(report)
    if plan is None:
        return () if report.process.fits is False else _preallocation(report)
    count = next((k for k, step in enumerate(plan.steps) if not step.changes), len(plan.steps))
    return plan.steps[:count]


def by_flags_alone(report: Report) -> Iterator[tuple[PlanStep, ...]]:
    """Yields advice other than the plan that makes a script fit only by setting flags, each as one step."""
    for f in report.findings if report.process.fits is False else ():
        changes = f.fix.changes if f.cures and f.fix is not None else ()
        if f.fix is not None and f.cost is not None and changes and all(isinstance(c, FlagChange) for c in changes):
            yield (PlanStep(f.message, f.fix.code or "", after_bytes(report, f), f.cost, changes),)


def manual_steps(report: Report, followed: Sequence[PlanStep]) -> tuple[PlanStep, ...]:
    """Returns the steps of the plan that have to be made by hand; none if other advice was applied. `followed` are the steps that were
    applied.
    """
    plan: FitPlan | None = plan_of(report)
    if plan is None or (followed and followed[0] not in plan.steps):
        return ()
    return tuple(step for step in plan.steps if step not in followed)


def _preallocation(report: Report) -> tuple[PlanStep, ...]:
    return tuple(
        PlanStep(f.message, f.fix.code or "", after_bytes(report, f), f.cost, f.fix.changes)
        for f in report.findings
        if f.code == "TD310" and f.fix is not None and f.cost is not None
    )


def flags_of(steps: Sequence[PlanStep]) -> tuple[FlagChange, ...]:
    """Returns the changes of flags among these steps."""
    return tuple(c for step in steps for c in step.changes if isinstance(c, FlagChange))


def follow(request: CheckRequest, report: Report, steps: Sequence[PlanStep], env: Mapping[str, str]) -> Followed | None:
    """Applies the steps, with flags set as in `env`, to the script or to one of the modules that it imports from its folder. Returns the
    first changed file whose check gives the bytes that the last step promises; None if there is none.
    """
    changes: list[Change] = [c for step in steps for c in step.changes]
    advised = next((f for f in report.findings if f.fix is not None and f.fix.changes == steps[-1].changes), None)
    plan = plan_of(report)
    followed = advised if plan is None or steps[-1] not in plan.steps else plan.finding
    bounded = report.process.bounded if followed is None else followed.confidence < Confidence.DERIVED
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        for path, before, after in _texts(request.path, changes):
            with _beside(request, path, after) as (changed, source):
                report_after = predict(changed, stdout=nowhere.fileno(), stderr=nowhere.fileno(), source=source, env=env).report
            need = needed(report_after)
            if not report_after.script.failed and (need == steps[-1].after_bytes or (bounded and need < steps[-1].after_bytes)):
                return Followed(tuple(steps), path, before, after, report_after)
    return None


def _texts(script: str, changes: Sequence[Change]) -> Iterator[tuple[str, bytes, bytes]]:
    """Yields files before and after the changes: the script as often as its text may mean them, then, for lengths, its modules.
    Nothing for a notebook."""
    if script.endswith(".ipynb"):
        return  # a person edits its cells
    kinds = [c for c in changes if not isinstance(c, FlagChange)]
    in_modules = bool(kinds) and all(isinstance(c, LengthChange) for c in kinds)
    for path in [script, *([str(p) for p, _ in own_modules(Path(script)) if p != Path(script)] if in_modules else [])]:
        before = files.read(path, files.TEXT)
        for text in changed_texts(before.decode("latin-1"), changes):
            yield path, before, text.encode("latin-1")


@contextmanager
def _beside(request: CheckRequest, path: str, after: bytes) -> Iterator[tuple[CheckRequest, bytes | None]]:
    """Yields the request with the file at `path` replaced by `after`, and the script's new text if it is that file.

    For a module it is a copy of the script's folder: the script and that module as files (Python looks for modules where a link leads), and
    links to all others.
    """
    script = Path(request.path)
    if Path(path) == script:
        yield request, after
        return
    with temporary() as folder:
        inside, copied = Path(path).relative_to(script.parent), {script, Path(path), *Path(path).parents}
        for above in reversed(inside.parents):
            (folder / above).mkdir(exist_ok=True)
            for entry in (script.parent / above).iterdir():
                if entry.name != "__pycache__" and entry not in copied:
                    (folder / above / entry.name).symlink_to(entry.absolute())
        (folder / inside).write_bytes(after)
        (folder / script.name).write_bytes(script.read_bytes())
        yield replace(request, path=str(folder / script.name)), None
