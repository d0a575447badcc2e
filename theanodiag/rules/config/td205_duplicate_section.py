"""TD205: a section comes twice

What it finds
    A second `[section]` of the same name.

Why it matters
    Python 3 refuses the file (DuplicateSectionError); Python 2 put both together, so old files have it.

Example
    `[nvcc]` at the top with `fastmath`, and again at the end with `flags`.

What to do
    Put the options below the first header; `theanodiag config rewrite` does it.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.document import FlawKind
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding for each header that comes again."""
    for flaw in s.flaws(FlawKind.DUPLICATE_SECTION):
        line = flaw.first.line if flaw.first else 0
        name = flaw.span.text[flaw.span.start : flaw.span.end]
        message = f"{name} was in line {line} already: {s.library} will not start under Python 3"
        yield finding("TD205", Severity.ERROR, flaw.span, message, fix(f"move the options below line {line}"))


RULE = Rule(
    "TD205",
    "duplicate-section",
    check,
    __doc__,
    fires=lambda: config("[blas]\nldflags =\n[global]\ndevice = cpu\n[blas]\ncheck_openmp = False\n"),
    silent=lambda: config("[blas]\nldflags =\n[global]\ndevice = cpu\n"),
)
