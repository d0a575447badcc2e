"""TD206: an option comes twice in its section

What it finds
    A second `option =` of the same name, in whatever case, in one section of one file.

Why it matters
    Python 3 refuses the file (DuplicateOptionError); in Python 2 the last one counted.

Example
    `optimizer_including = cudnn` twice in `[global]`.

What to do
    Keep the one that you want; `theanodiag config rewrite` keeps the last one and makes the others comments.

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
    """One finding for each option that comes again."""
    for flaw in s.flaws(FlawKind.DUPLICATE_OPTION):
        line = flaw.first.line if flaw.first else 0
        message = f"this option was in line {line} already: {s.library} will not start under Python 3"
        yield finding("TD206", Severity.ERROR, flaw.span, message, fix("keep one of them; Python 2 took the last"))


RULE = Rule(
    "TD206",
    "duplicate-option",
    check,
    __doc__,
    fires=lambda: config("[global]\ndevice = cpu\nDevice = cuda\n"),
    silent=lambda: config("[global]\ndevice = cpu\n[blas]\nldflags =\n"),
)
