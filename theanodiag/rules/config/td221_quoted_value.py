"""TD221: quotes round a value in a file

What it finds
    Values of an rc file in quotes. The flags variable loses its quotes, a file keeps them.

Why it matters
    The quotes are a part of the value: a choice or a number is refused, a path or a list of optimizations with quotes matches nothing.

Example
    `optimizer_including = "cudnn"`.

What to do
    Take the quotes away.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix, replace_span
from ...flags.validity import is_text, unquoted
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.written:
        if w.section is None or w.flag is None or w.value is None or unquoted(w.value) == w.value:
            continue
        text = is_text(w.flag)
        effect = "they are a part of the value" if text else f"{s.library} will not start"
        advice = fix(f"write {unquoted(w.value)}", replace_span(w.value_span, unquoted(w.value)), safe=not text)
        yield finding("TD221", Severity.WARNING if text else Severity.ERROR, w, f"quotes round the value of {w.key}: {effect}", advice)


RULE = Rule(
    "TD221",
    "quoted-value",
    check,
    __doc__,
    fires=lambda: config("[global]\nwarn_float64 = 'raise'\n"),
    silent=lambda: config(flags="warn_float64='raise'"),
)
