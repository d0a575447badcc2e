"""TD242: one half of the path to cuDNN

What it finds
    `dnn.include_path` without `dnn.library_path`, or the reverse.

Why it matters
    The other half is guessed from the CUDA folder: cuDNN is not found, or header and library do not match.

Example
    `[dnn]` with `include_path` alone.

What to do
    Set both, or `dnn.base_path` alone, from which both follow.

Limits
    One half is enough if the other is found where CUDA is.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    pair = ("dnn.include_path", "dnn.library_path")
    given = [name for name in pair if s.winner(name)]
    if len(given) == 1 and not s.winner("dnn.base_path"):
        other = pair[1 - pair.index(given[0])]
        message = f"{given[0]} is set, {other} is guessed"
        yield about("TD242", Severity.INFO, s, given[0], message, fix(f"set {other} too, or dnn.base_path"))


RULE = Rule(
    "TD242",
    "half-cudnn-path",
    check,
    __doc__,
    fires=lambda: config("[dnn]\ninclude_path = /opt/cudnn/include\n"),
    silent=lambda: config("[dnn]\ninclude_path = /opt/cudnn/include\nlibrary_path = /opt/cudnn/lib64\n"),
)
