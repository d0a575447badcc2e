"""TD220: a value that the flag does not take

What it finds
    Values outside what the flag accepts, with what it does accept. Spelling counts: `yes` and `TRUE` are no booleans, an empty text is
    no number.

Why it matters
    The library refuses to start, and names only the first such flag.

Example
    `allow_gc = yes`.

What to do
    Write one of the values in the message.

Limits
    Old GPU devices, retired flags, quotes and inline comments have rules of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix, replace_span
from ...flags.model import Kind
from ...flags.validity import accepts, meant, split_comment, unquoted, valid_values
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry that is read."""
    for w in s.effective():
        text = s.interpolated(w)
        if w.flag is None or accepts(w.flag, text) or w.flag.kind in (Kind.RETIRED, Kind.DEVICE):
            continue
        if text.strip() != text or (w.section is None and ";" in text) or accepts(w.flag, unquoted(text)):
            continue
        if split_comment(text)[1] and accepts(w.flag, split_comment(text)[0]):
            continue
        better = meant(w.flag, text)
        advice = fix(f"write {better}", replace_span(w.value_span, better), safe=True) if better else fix("write one of these")
        message = f"{w.flag.name} takes {valid_values(w.flag)}, not {text!r}: {s.library} will not start"
        yield finding("TD220", Severity.ERROR, w, message, advice)


RULE = Rule(
    "TD220",
    "invalid-value",
    check,
    __doc__,
    fires=lambda: config("[global]\nallow_gc = yes\n"),
    silent=lambda: config("[global]\nallow_gc = true\n"),
)
