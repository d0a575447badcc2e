"""`theanodiag/port/v1`: the result for each source file."""

from __future__ import annotations

from typing import Literal, Optional, Union

from msgspec import UNSET, UnsetType

from ...findings import Location
from ...porting.model import Change, FileReport, Proof, Safety
from ..ported import Counts
from .common import Count, Document, Line, Part, from_attributes


class ChangeV1(Part):
    """A name that was changed, or has to be changed by hand."""

    cell: Optional[Count]
    """Number of the notebook's cell, counted from 1, in which the line is; null in a script."""
    line: Line
    column: Line
    name: str
    """The full dotted name."""
    safety: Safety
    code: Literal["TD101", "TD102", "TD103"]
    reason: str
    advice: str
    """The replacement that was written, or that you need to write by hand."""

    @classmethod
    def of(cls, c: Change) -> ChangeV1:
        """The JSON object of a change."""
        return cls(Location.of(c.span).cell, c.span.line, c.span.column, c.name, c.safety, c.code, c.reason, c.advice)  # type: ignore[arg-type]


class ProofV1(Part):
    """The result of the proof of a changed file."""

    proved: bool
    """Whether every script that runs the file computes the same values."""
    scripts: list[str]
    """The scripts that run the file."""
    values: Count
    """Number of values compared."""
    reason: str
    """Why the file was not written; empty if it was."""
    lent: bool
    """Whether a script that runs it imports theanodiag, which the new interpreter lacks: it was lent for the run."""


class PortedFileV1(Part):
    """A source file."""

    path: str
    changed: bool
    """Whether there is anything to write."""
    failure: Optional[str]
    """Why the file could not be processed."""
    skipped: Optional[str]
    """Why it was skipped: a symbolic link that leads outside the given paths."""
    needs_theanodiag: bool
    """Whether it imports theanodiag.legacy, so that theanodiag must be installed where it runs."""
    changes: list[ChangeV1]
    proof: Union[ProofV1, UnsetType] = UNSET
    """Whether the changed file was written, with --prove."""

    @classmethod
    def of(cls, report: FileReport, proof: Proof | None = None) -> PortedFileV1:
        """The JSON object of a source file, with the result of its proof if there was one."""
        failure = None if report.failure is None else str(report.failure)
        return cls(
            report.path, report.changed, failure, report.skipped, report.needs_theanodiag, list(map(ChangeV1.of, report.changes)),
            UNSET if proof is None else from_attributes(ProofV1, proof),
        )  # fmt: skip


class PortCountsV1(Part):
    """Totals over the files."""

    files: Count
    changed: Count
    failed: Count
    skipped: Count
    safe: Count
    unsafe: Count
    by_hand: Count


class PortV1(Document):
    """theanodiag port --format json.

    What became of each source, and what is left to do by hand.
    """

    schema: Literal["theanodiag/port/v1"]
    to: Literal["pytensor", "aesara", "pymc"]
    style: Literal["native", "compat"]
    files: list[PortedFileV1]
    counts: PortCountsV1

    @classmethod
    def of(cls, files: list[PortedFileV1], to: str, style: str, sums: Counts) -> PortV1:
        """The JSON document of all files."""
        changes = (sums.by_safety[kind] for kind in (Safety.SAFE, Safety.UNSAFE, Safety.BY_HAND))
        counts = PortCountsV1(sums.files, sums.changed, sums.failed, sums.skipped, *changes)
        return cls("theanodiag/port/v1", to, style, files, counts)  # type: ignore[arg-type]
