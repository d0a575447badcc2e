"""TD002: ignore comments that silence nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..findings import Confidence, Finding, Fix, Location, Severity
from ..porting.model import Ignore
from .base import rule


@dataclass(frozen=True)
class UnusedSubject:
    """Ignore comments that silenced nothing."""

    unused: tuple[tuple[str, Ignore], ...]
    """(Path, comment) of each."""


@rule(
    "TD002",
    "unused-ignore",
    fires=lambda: UnusedSubject((("model.py", Ignore(12, ("TD503",), "", False, False)),)),
    silent=lambda: UnusedSubject(()),
)
def unused_ignore(s: UnusedSubject) -> Iterator[Finding]:
    """TD002: an ignore comment matches no finding

    What it finds
        Finds a comment `# theanodiag: ignore[...]` (or `ignore-file[...]`) in the script that matches no finding.

    Why it matters
        An unused comment would hide a later finding at that line, long after the reason for the comment has disappeared.

    Example
        The finding says `model.py:12: ignore[TD503] silences nothing`.

    What to do
        Delete the comment, or correct its code or its position. The comment must stand on the line of the finding, or alone on the line
        above it. `ignore-file` may stand anywhere.

    Limits
        Comments with codes that `--select` or `--ignore` exclude are not reported. A comment that matches no finding for one device may
        match a finding for another device.
    """
    for path, comment in s.unused:
        place = Location(path, comment.line)
        yield Finding("TD002", Severity.INFO, Confidence.DERIVED, f"{comment} silences nothing", place, Fix("delete the comment"))
