"""TD204: a line that is nothing the parser knows

What it finds
    Lines that are neither a `[section]`, an `option = value`, a comment nor the continuation of a value.

Why it matters
    The parser refuses the whole file (ParsingError) and the library does not start.

Example
    `// use the GPU`: comments begin with `#` or `;`.

What to do
    Make it a comment, or give the option a value.

Limits
    A wrong comment sign before an `=` or `:` makes an unknown option instead: see TD210.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix, replace_span
from ...flags.document import FlawKind
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding a line."""
    for flaw in s.flaws(FlawKind.JUNK):
        text = flaw.span.text[flaw.span.start : flaw.span.end]
        advice = fix("make it a comment", replace_span(flaw.span, f"# {text}"), safe=True)
        yield finding("TD204", Severity.ERROR, flaw.span, f"neither an option nor a comment: {s.library} will not start", advice)


RULE = Rule(
    "TD204",
    "junk-line",
    check,
    __doc__,
    fires=lambda: config("[global]\n// use the GPU\ndevice = cuda0\nforce_device = True\n"),
    silent=lambda: config("[global]\n# use the GPU\ndevice = cpu\n"),
)
