"""TD252: Scan keeps its intermediate results

What it finds
    `scan.allow_gc=False` written out. It is the default, too.

Why it matters
    Within a Scan the intermediates of a step stay allocated until the whole loop ends.

Example
    `THEANO_FLAGS=scan.allow_gc=False`.

What to do
    `scan.allow_gc=True` if memory is short; each step is a little slower.

Limits
    Not reported where the default does it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    if s.winner("scan.allow_gc") and s.text("scan.allow_gc") in ("False", "false", "0"):
        code = s.spell("scan.allow_gc", "True")
        message = "Scan keeps the intermediates of its steps until it ends"
        yield about("TD252", Severity.INFO, s, "scan.allow_gc", message, fix(f"write {code} where memory is short", code=code))


RULE = Rule(
    "TD252",
    "scan-keeps",
    check,
    __doc__,
    fires=lambda: config(flags="scan.allow_gc=False"),
    silent=lambda: config(flags="scan.allow_gc=True"),
)
