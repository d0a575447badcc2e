"""The HTML pages of `doctor`, `explain-log`, `diff`, and of findings alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .rendering import page

if TYPE_CHECKING:
    from ...findings import Finding
    from ...logs import Diagnosis
    from ...probe.model import ProbeResult
    from ..report_diff import Growth


ROWS = 1_000
"""Maximum number of storage map entries shown on the page of a log."""


def doctor(machine: ProbeResult, command: str = "") -> str:
    """The page of `doctor`: where predictions can be confirmed on this machine, and how to install what is missing."""
    from ...confirmation.available import abilities
    from ...doctor import advise, summary

    rows = abilities(machine)
    look = "good" if any(a.ready for a in rows) else "open"
    about = {"abilities": rows, "summary": summary(rows), "look": look, "legacy": advise(machine)}
    return page("doctor.html", ("report.js",), command, machine=machine, **about)


def explained(diagnosis: Diagnosis, source: str, lines: Sequence[tuple[int, str]], command: str = "") -> str:
    """The page of `explain-log`: what failed, why, and what to do; `lines` are the numbered log lines around the failure."""
    from ...logs import Cause

    look = "open" if diagnosis.cause is Cause.NOT_RECOGNISED else "bad"
    rest = max(0, len(diagnosis.live) - ROWS)
    return page(
        "explained.html",
        ("report.js",),
        command,
        diagnosis=diagnosis,
        source=source,
        lines=tuple(lines),
        look=look,
        live=diagnosis.live[:ROWS],
        rest=rest,
    )


def report_diff(growth: Growth, command: str = "") -> str:
    """The page of `diff`: what grew between two reports, and which line caused it."""
    from ..report_diff import signed

    look = "bad" if growth.peak.bytes > 0 else "good"
    return page("report_diff.html", ("report.js",), command, growth=growth, look=look, signed=signed)


def findings(sources: Sequence[str], findings: Sequence[Finding], command: str = "") -> str:
    """The page of findings alone, such as those about flags; `sources` are the files that were read."""
    from ...findings import Severity
    from ...rules.registry import all_rules

    counts = [(s.name.lower(), sum(f.severity is s for f in findings)) for s in reversed(Severity)]
    summary = ", ".join(f"{n} {name}{'s' * (n > 1)}" for name, n in counts if n) or "nothing found"
    worst = max((f.severity for f in findings), default=None)
    look = {None: "good", Severity.INFO: "good", Severity.WARNING: "open", Severity.ERROR: "bad"}[worst]
    pages = {rule.code: rule.page.strip() for rule in all_rules()}
    named = list(dict.fromkeys(sources))
    return page("findings.html", ("report.js",), command, sources=named, findings=findings, summary=summary, look=look, pages=pages)
