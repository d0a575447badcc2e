"""TD1: what `port` changes in a source, and what it leaves to do by hand."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import Span
from ...findings import Confidence, Finding, Fix, Location, Severity
from ...porting.model import CODES, Change, FileReport, Safety

_SEVERITY = {Safety.SAFE: Severity.INFO, Safety.UNSAFE: Severity.WARNING, Safety.BY_HAND: Severity.ERROR}


def findings(report: FileReport, safety: Safety) -> Iterator[Finding]:
    """One finding for each change of this safety."""
    for change in report.changes:
        if change.safety is safety:
            message = f"{change.name}: {change.reason}"
            place = Location.of(change.span)
            fix = Fix(change.advice) if change.advice else None
            yield Finding(change.code, _SEVERITY[safety], Confidence.DERIVED, message, place, fix)


def example(safety: Safety) -> FileReport:
    """A report with one change of that safety."""
    text = "import theano\n"
    span = Span("model.py", text, 7, 13)
    return FileReport("model.py", text, text, (Change(span, "theano", safety, "an example", "import pytensor", CODES[safety]),))
