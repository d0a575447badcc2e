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
        A script that raised an error, was stopped, or compiled no function, and a file that `scan` or `port` could not read.

    Why it matters
        Nothing, or only a part, is known about this file, so the absence of other findings says nothing about it.

    Example
        `the script failed: ValueError: no data`, at the line of the script that raised it.

    What to do
        What the finding says. `theanodiag check` with this script alone prints the whole traceback. If its data is missing or it only takes
        too long, pass it smaller data, or a longer `--timeout`.

    Limits
        Only formats that list findings contain it, such as `github`, `junit` and `sarif`: text, HTML and JSON say it in the verdict. It
        can be neither ignored nor part of a baseline, and the exit code is 3 (`scan`: 1) with or without it.
    """
    if s.reason is not None:
        yield Finding("TD006", Severity.ERROR, Confidence.DERIVED, s.reason, s.place, Fix(s.advice) if s.advice else None)
