"""TD224: a # in the flags variable

What it finds
    A `#` outside quotes in the flags variable.

Why it matters
    It begins a comment: all flags behind it are lost in silence.

Example
    `THEANO_FLAGS="compiledir=/tmp/run#1,floatX=float32"`: floatX is lost.

What to do
    Quote the value, or leave the sign out.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding a sign."""
    for place in s.variable.comments if s.variable else ():
        message = "# begins a comment here: what follows is not read"
        yield finding("TD224", Severity.WARNING, place, message, fix("put the value in single quotes"))


RULE = Rule(
    "TD224",
    "hash-in-variable",
    check,
    __doc__,
    fires=lambda: config(flags="compiledir=/tmp/run#1,floatX=float32"),
    silent=lambda: config(flags="compiledir='/tmp/run#1',floatX=float32"),
)
