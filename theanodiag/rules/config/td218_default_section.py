"""TD218: an option in [DEFAULT]

What it finds
    Flags in the section `[DEFAULT]`.

Why it matters
    They count only in sections that the file has, and there for every option of that name; without a `[global]` they count for nothing.

Example
    `[DEFAULT]` with `floatX = float32`, and no other section.

What to do
    Write `[global]` instead.

Limits
    Helpers for `%(name)s` belong there and are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.migrate_entry import suggestion
from ...flags.names import rc_flag
from ...flags.rcgrammar import DEFAULT_SECTION
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.written:
        if w.section != DEFAULT_SECTION:
            continue
        flag = w.flag or rc_flag(s.table, "global", w.key) or suggestion(w.key, s.table)
        if flag and flag.option.lower() == w.key.lower():
            effect = f"sets {flag.name} by way of [{flag.section}]" if w.flag else "has no effect: the file has no such section"
            yield finding("TD218", Severity.WARNING, w, f"[DEFAULT] {w.key} {effect}", fix(f"write it in [{flag.section}]"))


RULE = Rule(
    "TD218",
    "default-section",
    check,
    __doc__,
    fires=lambda: config("[DEFAULT]\nfloatX = float32\n"),
    silent=lambda: config("[DEFAULT]\nbase = /scratch\n[global]\nbase_compiledir = %(base)s/theano\n"),
)
