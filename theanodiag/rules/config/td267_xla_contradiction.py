"""TD267: XLA settings that contradict each other

What it finds
    A share of the memory for XLA while it is told not to reserve any, or to use the plain allocator.

Why it matters
    With XLA_PYTHON_CLIENT_PREALLOCATE=false nothing is reserved at the start; with XLA_PYTHON_CLIENT_ALLOCATOR=platform the share is not
    used at all.

Example
    `XLA_CLIENT_MEM_FRACTION=.9` and `XLA_PYTHON_CLIENT_ALLOCATOR=platform`.

What to do
    Take one of them out.

Limits
    With PREALLOCATE=false the share is still the ceiling.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Confidence, Finding, Location, Severity
from ...flags.diagnose import ConfigSubject, fix
from ...flags.model import Dialect
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding for each contradiction."""
    share = s.env("XLA_CLIENT_MEM_FRACTION") or s.env("XLA_PYTHON_CLIENT_MEM_FRACTION")
    pairs = (("XLA_PYTHON_CLIENT_PREALLOCATE", ("false", "0")), ("XLA_PYTHON_CLIENT_ALLOCATOR", ("platform",)))
    for name, texts in pairs:
        if share and (s.env(name) or "").lower() in texts and s.dialect is not Dialect.THEANO:
            message = f"{name}={s.env(name)}: the share of {share} is not reserved"
            yield Finding("TD267", Severity.INFO, Confidence.DERIVED, message, Location(name), fix("take one of them out"))


RULE = Rule(
    "TD267",
    "xla-contradiction",
    check,
    __doc__,
    fires=lambda: config(to=Dialect.PYTENSOR, env=(("XLA_CLIENT_MEM_FRACTION", ".9"), ("XLA_PYTHON_CLIENT_ALLOCATOR", "platform"))),
    silent=lambda: config(to=Dialect.PYTENSOR, env=(("XLA_CLIENT_MEM_FRACTION", ".9"),)),
)
