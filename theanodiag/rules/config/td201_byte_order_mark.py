"""TD201: the file begins with a byte order mark

What it finds
    The bytes EF BB BF at the beginning of an rc file; Windows' Notepad writes them.

Why it matters
    The parser does not skip them, so it finds no section header in the first line and the library does not start.

Example
    A `.theanorc` saved by Notepad as "UTF-8 with BOM".

What to do
    Save the file as UTF-8 without a byte order mark; `theanodiag config rewrite` takes it off.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix, replace_span
from ...flags.document import FlawKind
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding a file."""
    for flaw in s.flaws(FlawKind.BOM):
        advice = fix("save it as UTF-8 without a byte order mark", replace_span(flaw.span, ""), safe=True)
        yield finding("TD201", Severity.ERROR, flaw.span, f"a byte order mark: {s.library} will not start", advice)


RULE = Rule(
    "TD201",
    "byte-order-mark",
    check,
    __doc__,
    fires=lambda: config("\ufeff[global]\ndevice = cpu\n"),
    silent=lambda: config("[global]\ndevice = cpu\n"),
)
