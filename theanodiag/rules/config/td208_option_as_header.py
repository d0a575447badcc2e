"""TD208: an option written as a section

What it finds
    `[name]=value`: the parser takes it for a header and drops the rest of the line.

Why it matters
    The value is ignored in silence, and the options below it belong to a section that no flag has.

Example
    `[mode]=FAST_RUN`.

What to do
    Write `mode = FAST_RUN` in `[global]`.

Limits
    Headers of known sections are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding a header."""
    known = {flag.section for flag in s.table.flags}
    for document in s.documents:
        for header in document.sections:
            tail = header.tail.lstrip()
            if tail.startswith(("=", ":")) and header.name not in known:
                line = f"{header.name} = {tail[1:].strip()}"
                message = f"[{header.name}]{header.tail.rstrip()} is an empty section: its value is ignored"
                yield finding("TD208", Severity.WARNING, header.span, message, fix(f"write {line} in [global]", code=line))


RULE = Rule(
    "TD208",
    "option-as-header",
    check,
    __doc__,
    fires=lambda: config("[global]\ndevice = cpu\n\n[mode]=FAST_RUN\n"),
    silent=lambda: config("[global]\ndevice = cpu\nmode = FAST_RUN\n"),
)
