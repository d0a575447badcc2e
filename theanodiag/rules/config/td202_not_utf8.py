"""TD202: the file is not UTF-8

What it finds
    Bytes in an rc file that are not UTF-8, in comments too.

Why it matters
    The file is read in the encoding of the locale, nowadays UTF-8: the library does not start (UnicodeDecodeError). Python 2 did not care.

Example
    `# für die GPU` in a file saved as Latin-1.

What to do
    Save it as UTF-8, or `theanodiag config rewrite`, which takes such bytes for Windows-1252.

Limits
    In a Latin-1 locale the file is read without an error.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.decode import from_latin1
from ...flags.diagnose import ConfigSubject, finding, fix, replace_span
from ...flags.document import FlawKind
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding for each run of such bytes."""
    for flaw in s.flaws(FlawKind.NOT_UTF8):
        text = from_latin1(flaw.span.text[flaw.span.start : flaw.span.end])
        advice = fix(f"save it as UTF-8 ({text!r} in Windows-1252)", replace_span(flaw.span, text), safe=True)
        yield finding("TD202", Severity.ERROR, flaw.span, f"this is not UTF-8: {s.library} will not start", advice)


RULE = Rule(
    "TD202",
    "not-utf8",
    check,
    __doc__,
    fires=lambda: config("# f\udcfcr die GPU\n[global]\ndevice = cpu\n"),
    silent=lambda: config("# für die GPU\n[global]\ndevice = cpu\n"),
)
