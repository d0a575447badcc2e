"""TD006: files that could not be read, and scripts of which there is no complete result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..findings import Confidence, Finding, Fix, Location, Severity
from .base import rule


@dataclass(frozen=True)
class UncheckedSubject:
    """How reading or running a file ended."""

    place: Location
    """The file, with the line that raised where that is known."""
    reason: str | None = None
    """Why there is no complete result; None if there is one."""
    advice: str | None = None
    """What to do about it; None if no more is known."""


@rule(
    "TD006",
    "not-checked",
    fires=lambda: UncheckedSubject(Location("model.py", 7), "the script failed: ValueError: no data"),
    silent=lambda: UncheckedSubject(Location("model.py")),
)
def not_checked(s: UncheckedSubject) -> Iterator[Finding]:
    """TD006: a file could not be read, or a script did not run to its end

    What it finds
        Finds a script that raised an error, was stopped, or compiled no function. Also finds a file that `scan` or `port` could not read.

    Why it matters
        theanodiag could not examine the file, or could examine only a part of it. If the file has no other findings, it may still have
        problems.

    Example
        The finding says `the script failed: ValueError: no data`, and names the line of the script that raised the error.

    What to do
        Follow the advice of the finding. For the whole traceback, run `theanodiag check` with this script alone. If the script's data is
        missing, or the script takes too long, give it smaller data or set a longer `--timeout`.

    Limits
        Only formats that list findings, such as `github`, `junit` and `sarif`, contain this finding; text, HTML and JSON say the same in
        the verdict. You cannot ignore this finding or put it into a baseline. The exit code is 3 (`scan`: 1), whether or not the format
        contains the finding.
    """
    if s.reason is not None:
        yield Finding("TD006", Severity.ERROR, Confidence.DERIVED, s.reason, s.place, Fix(s.advice) if s.advice else None)
