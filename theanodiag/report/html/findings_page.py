"""The page of findings alone, such as those about flags."""

from __future__ import annotations

from collections.abc import Sequence

from ...findings import Finding, Severity
from ...rules.registry import all_rules
from .page import page


def render(sources: Sequence[str], findings: Sequence[Finding]) -> str:
    """The whole page; `sources` are the files that were read."""
    counts = [(s.name.lower(), sum(f.severity is s for f in findings)) for s in reversed(Severity)]
    told = ", ".join(f"{n} {name}{'s' * (n > 1)}" for name, n in counts if n) or "nothing found"
    worst = max((f.severity for f in findings), default=None)
    look = {None: "good", Severity.INFO: "good", Severity.WARNING: "open", Severity.ERROR: "bad"}[worst]
    pages = {rule.code: rule.page.strip() for rule in all_rules()}
    return page("findings.html", ("report.js",), sources=list(dict.fromkeys(sources)), findings=findings, told=told, look=look, pages=pages)
