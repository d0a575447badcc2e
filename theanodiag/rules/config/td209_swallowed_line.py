"""TD209: an indented option is part of the value above it

What it finds
    A line with a `=` that continues the value of the option above, because it is indented deeper.

Why it matters
    The option has no effect, and the value above it has one line too many.

Example
    `device = cpu`, and below it, indented, `floatX = float32`.

What to do
    Give all options of a section the same indentation.

Limits
    A value may really have several lines, as compiler flags do; lines without a flag's name are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.document import Document, LineKind
from ...flags.names import fold
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding a line."""
    names = {flag.option.lower() for flag in s.table.flags} | {fold(flag.dotted) for flag in s.table.flags}
    for document in s.documents:
        for start, end, name in _swallowed(document):
            if name.lower() in names:
                message = f"{name} is indented deeper than the option above it: it is a part of that value"
                yield finding("TD209", Severity.ERROR, document.span(start, end), message, fix("take the blanks before it away"))


def _swallowed(document: Document) -> Iterator[tuple[int, int, str]]:
    for line in document.lines:
        content = document.text[line.start : line.end]
        name, equals, _ = content.partition("=")
        if line.kind is LineKind.CONTINUATION and equals:
            yield line.end - len(content.lstrip()), line.end, name.strip()


RULE = Rule(
    "TD209",
    "swallowed-line",
    check,
    __doc__,
    fires=lambda: config("[global]\ndevice = cpu\n    floatX = float32\n"),
    silent=lambda: config("[global]\n  device = cpu\n  floatX = float32\n"),
)
