r"""TD207: a quote in the flags variable has no end

What it finds
    A `'` or `"` without its partner, or a backslash as the last character.

Why it matters
    The splitting fails (ValueError: No closing quotation) and the library does not start.

Example
    `THEANO_FLAGS="optimizer_excluding=conv_dnn,\"$THEANO_FLAGS"`.

What to do
    Close the quote or take it out; a flag needs quotes only round a comma.

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
    """At most one finding."""
    place = s.variable.open_quote if s.variable else None
    if place:
        advice = fix("close it, or take it out")
        yield finding("TD207", Severity.ERROR, place, f"this has no end: {s.library} will not start", advice)


RULE = Rule(
    "TD207",
    "open-quote",
    check,
    __doc__,
    fires=lambda: config(flags="device=cpu,cxx='/usr/bin/g++"),
    silent=lambda: config(flags="device=cpu,cxx='/usr/bin/g++'"),
)
