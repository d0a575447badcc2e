"""TD203: an option stands before the first section

What it finds
    Options before any `[section]` line.

Why it matters
    The parser refuses the whole file (MissingSectionHeaderError) and the library does not start.

Example
    A file that begins with `floatX = float32`.

What to do
    Write `[global]` above it: that section holds the flags without a dot in their name.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.document import FlawKind
from ...flags.edits import insert
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding a file, at the first such line."""
    for document in s.documents:
        for flaw in [f for f in document.flaws if f.kind is FlawKind.NO_HEADER][:1]:
            advice = fix("write [global] above it", insert(document, flaw.span.start, f"[global]{document.newline}"), safe=True)
            yield finding("TD203", Severity.ERROR, flaw.span, f"no [section] above this line: {s.library} will not start", advice)


RULE = Rule(
    "TD203",
    "no-section-header",
    check,
    __doc__,
    fires=lambda: config("floatX = float32\n"),
    silent=lambda: config("# settings\n[global]\nfloatX = float32\n"),
)
