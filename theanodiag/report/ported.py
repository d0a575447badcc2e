"""The text that `theanodiag port` prints about the files."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..escaping import visible
from ..porting.model import FileReport, Proof, Safety


def lines(report: FileReport, *, verbose: bool = False) -> Iterator[str]:
    """The lines for one file: unsafe changes, and changes left to make by hand; with `verbose` all changes."""
    if report.skipped is not None:
        yield visible(f"{report.path}: skipped: {report.skipped}")
        return
    if report.failure is not None:
        yield f"theanodiag: {report.failure}"
        return
    for change in report.changes:
        if verbose or change.safety is not Safety.SAFE:
            yield visible(f"{change.span}: {change.safety.value} {change.code}: {change.name}: {change.reason}")
            if change.advice:
                yield visible(f"    help: {change.advice}")


def counts(reports: Counts, *, written: bool) -> str:
    """One line about all files; `written`: the changes were made."""
    parts = [f"{reports.files} file{'s' * (reports.files != 1)}", f"{reports.changed} {'changed' if written else 'to change'}"]
    names = {Safety.SAFE: "safe changes", Safety.UNSAFE: "unsafe", Safety.BY_HAND: "by hand"}
    parts += [f"{reports.by_safety[s]} {name}" for s, name in names.items()]
    if reports.needing:
        verb, whom = ("imports", "it") if reports.needing == 1 else ("import", "them")
        parts.append(f"{reports.needing} {verb} theanodiag, which must be installed to run {whom}")
    if reports.failed:
        parts.append(f"{reports.failed} failed")
    if reports.skipped:
        parts.append(f"{reports.skipped} skipped")
    return ", ".join(parts)


class Counts:
    """Running totals over files, so that no report has to be kept."""

    def __init__(self) -> None:
        self.files = self.changed = self.failed = self.skipped = self.needing = 0
        self.by_safety = dict.fromkeys(Safety, 0)

    def add(self, report: FileReport) -> None:
        """Adds one file to the totals."""
        self.files += report.skipped is None
        self.skipped += report.skipped is not None
        self.needing += report.needs_theanodiag
        self.changed += report.changed
        self.failed += report.failure is not None
        for change in report.changes:
            self.by_safety[change.safety] += 1


def proof_line(report: FileReport, proof: Proof) -> str:
    """The result of the proof of a changed file, in one line."""
    if not proof.proved:
        return visible(f"{report.path}: not written: {proof.reason}")
    by = ", ".join(os.path.basename(script) for script in proof.scripts)
    return visible(f"{report.path}: rewritten: {proof.values} values of {by} are the same")
