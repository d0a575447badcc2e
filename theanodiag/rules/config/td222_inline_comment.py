"""TD222: a comment behind a value

What it finds
    `#` or `;` after blanks in a value of an rc file. Comments need a line of their own.

Why it matters
    The comment is a part of the value: a number or a choice is refused, compiler flags get words that the compiler does not know.

Example
    `device = cpu  # no GPU here`.

What to do
    Put the comment on the line above; `theanodiag config rewrite` does it.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.validity import is_text, split_comment
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.written:
        comment = split_comment(w.value)[1] if w.value and w.section is not None and w.flag else ""
        if w.flag is None or not comment or "\n" in (w.value or ""):
            continue
        text = is_text(w.flag)
        effect = "it is a part of the value" if text else f"{s.library} will not start"
        message = f"{comment.split()[0]!r} begins no comment here: {effect}"
        yield finding("TD222", Severity.WARNING if text else Severity.ERROR, w, message, fix("put the comment on a line of its own"))


RULE = Rule(
    "TD222",
    "inline-comment",
    check,
    __doc__,
    fires=lambda: config("[global]\nallow_gc = True  # the default\n"),
    silent=lambda: config("[global]\n# the default\nallow_gc = True\n"),
)
