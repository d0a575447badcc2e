"""The page of `theanodiag explain-log`: what failed in a job and why, the lines of its log that say it, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from ...logs import Cause, Diagnosis
from .page import page


def render(found: Diagnosis, source: str, lines: Sequence[tuple[int, str]]) -> str:
    """The whole page; `lines` are those of the log around the failure, each with its number."""
    look = "open" if found.cause is Cause.NOT_RECOGNISED else "bad"
    rest = max(0, len(found.live) - ROWS)
    return page(
        "explained.html", ("report.js",), found=found, source=source, lines=tuple(lines), look=look, live=found.live[:ROWS], rest=rest
    )


ROWS = 1_000
"""So many entries of the storage map are on the page."""
