"""`theanodiag/port/v1`: what became of each source."""

from __future__ import annotations

from typing import Literal, Optional, Union

from msgspec import UNSET, UnsetType

from ...porting.model import Change, FileReport, Proof, Safety
from ..ported import Counts
from .parts import Count, Document, Line, Part, from_attributes


class ChangeV1(Part):
    """A name that is written otherwise, or has to be."""

    line: Line
    column: Line
    name: str
    """The full dotted name it is about."""
    safety: Safety
    code: Literal["TD101", "TD102", "TD103"]
    reason: str
    advice: str
    """What is written, or what to write by hand."""

    @classmethod
    def of(cls, c: Change) -> ChangeV1:
        """The part for a change."""
        return cls(c.span.line, c.span.column, c.name, c.safety, c.code, c.reason, c.advice)  # type: ignore[arg-type]


class ProofV1(Part):
    """What the proof of a changed file came to."""

    proved: bool
    """Whether each script that runs the file computes the same."""
    scripts: list[str]
    """The scripts that run the file."""
    values: Count
    """Values that were compared."""
    reason: str
    """Why it was not written; empty where it was."""


class PortedFileV1(Part):
    """A source."""

    path: str
    changed: bool
    """Whether there is anything to write."""
    failure: Optional[str]
    """Why the file could not be looked at."""
    skipped: Optional[str]
    """Why it was not looked at: a link that leaves what was named."""
    needs_theanodiag: bool
    """Whether it imports theanodiag.legacy, so that theanodiag has to be installed where it runs."""
    changes: list[ChangeV1]
    proof: Union[ProofV1, UnsetType] = UNSET
    """With --prove, of a changed file: whether it was written."""

    @classmethod
    def of(cls, report: FileReport, proof: Proof | None = None) -> PortedFileV1:
        """The part for a source, with what its proof came to where there was one."""
        failure = None if report.failure is None else str(report.failure)
        return cls(
            report.path, report.changed, failure, report.skipped, report.needs_theanodiag, list(map(ChangeV1.of, report.changes)),
            UNSET if proof is None else from_attributes(ProofV1, proof),
        )  # fmt: skip


class PortCountsV1(Part):
    """Sums over the files."""

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
        """The document of all files."""
        changes = (sums.by_safety[kind] for kind in (Safety.SAFE, Safety.UNSAFE, Safety.BY_HAND))
        counts = PortCountsV1(sums.files, sums.changed, sums.failed, sums.skipped, *changes)
        return cls("theanodiag/port/v1", to, style, files, counts)  # type: ignore[arg-type]
