"""`theanodiag/scan/v1`: every scanned file, once. The processes and the cache of a scan exchange files in the same form."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, Optional

from ...escaping import visible_json
from ...findings import Finding
from ...scanned_files.model import CardRun, FileFacts, FileState, NameCounts, ScriptRun, SourceKind
from .common import DescribedV1, Document, Part, builtins, described, from_attributes, optional


def lines(facts: Sequence[FileFacts]) -> Iterator[str]:
    """Yields the JSON document line by line, with one line for each file because there may be many: all files sorted by path, and the
    number of files in each state.
    """
    states = Counter(f.state for f in facts)
    counts = json.dumps({state.value: states[state] for state in FileState})
    yield f'{{\n "schema": "theanodiag/scan/v1",\n "counts": {counts},\n "files": [\n'
    for n, f in enumerate(sorted(facts, key=lambda f: f.path), 1):
        yield f"  {visible_json(json.dumps(builtins(FileV1.of(f))))}{',' * (n < len(facts))}\n"
    yield " ]\n}\n"


class FileFindingV1(DescribedV1):
    """A finding in a file."""

    notes: list[str]

    @classmethod
    def of(cls, f: Finding) -> FileFindingV1:
        """Returns the JSON object of a finding."""
        return cls(**described(f), notes=list(f.notes))


class NamesV1(Part):
    """Numbers of names of the framework that `theanodiag port` changes safely, changes with --unsafe, or leaves to be changed by hand."""

    safe: int
    unsafe: int
    by_hand: int


class CardV1(Part):
    """The result of `check` for a script on one card."""

    fits: Optional[bool]
    peak_bytes: Optional[int]
    verdict: str
    """In one line, as `check` prints it"""


class RunV1(Part):
    """The result of running a script under `check`."""

    outcome: Literal["ran", "failed", "timed out", "out of memory", "no framework", "not run"]
    reason: str
    seconds: float
    cards: dict[str, CardV1]
    findings: list[FileFindingV1]

    @classmethod
    def of(cls, r: ScriptRun) -> RunV1:
        """Returns the JSON object of a run."""
        cards = {name: from_attributes(CardV1, card) for name, card in r.cards.items()}
        return cls(r.outcome, r.reason, r.seconds, cards, list(map(FileFindingV1.of, r.findings)))  # type: ignore[arg-type]

    def script_run(self) -> ScriptRun:
        """Converts the JSON object back to a `ScriptRun`."""
        cards = {name: CardRun(card.fits, card.peak_bytes, card.verdict) for name, card in self.cards.items()}
        return ScriptRun(self.outcome, self.reason, self.seconds, cards, tuple(f.finding(f.notes) for f in self.findings))


class FileV1(Part):
    """A scanned file."""

    path: str
    """Path relative to the working folder, with forward slashes"""
    kind: SourceKind
    state: FileState
    reason: str
    """Why it failed or was skipped; empty otherwise"""
    lines: int
    python: Optional[Literal[2, 3]]
    """The Python version that the source is written for; null if it is not Python or was not read"""
    frameworks: list[Literal["theano", "aesara", "pytensor", "pymc3", "pymc", "lasagne", "keras"]]
    releases: str
    """The release series of Theano that have all names used, such as 0.6-0.9, or none; empty without Theano"""
    gpu: bool
    """Whether it uses Theano's GPU modules, or selects a GPU in its flags"""
    names: NamesV1
    findings: list[FileFindingV1]
    run: Optional[RunV1]
    """The result of running it under `check`; null if it was not run"""

    @classmethod
    def of(cls, f: FileFacts) -> FileV1:
        """Returns the JSON object of a file."""
        return cls(
            path=f.path,
            kind=f.kind,
            state=f.state,
            reason=f.reason,
            lines=f.lines,
            python=f.python,  # type: ignore[arg-type]
            frameworks=list(f.frameworks),  # type: ignore[arg-type]
            releases=f.releases,
            gpu=f.gpu,
            names=from_attributes(NamesV1, f.names),
            findings=list(map(FileFindingV1.of, f.findings)),
            run=optional(RunV1.of, f.run),
        )

    def facts(self) -> FileFacts:
        """Converts the JSON object back to `FileFacts`."""
        return FileFacts(
            self.path, self.kind, self.state, self.reason, self.lines, self.python, tuple(self.frameworks), self.releases, self.gpu,
            NameCounts(self.names.safe, self.names.unsafe, self.names.by_hand), tuple(f.finding(f.notes) for f in self.findings),
            None if self.run is None else self.run.script_run(),
        )  # fmt: skip


class CountsV1(Part):
    """Number of scanned files in each state."""

    read: int
    irrelevant: int
    failed: int
    skipped: int


class ScanV1(Document):
    """The output of `theanodiag scan --format json`: every scanned file, once."""

    schema: Literal["theanodiag/scan/v1"]
    counts: CountsV1
    files: list[FileV1]
