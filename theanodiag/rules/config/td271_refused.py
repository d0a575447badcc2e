"""TD271: the library refuses to start for another reason

What it finds
    Failures at the import that no other rule explains: a folder for compiled code that cannot be made, values that pass one by one but
    not together.

Why it matters
    Nothing runs.

Example
    `AESARA_FLAGS=tensor__local_elemwise_fusion=False`: ImportError in Aesara 2.9.4.

What to do
    As the message says: it is the library's own.

Limits
    Only what the configuration shows; a missing library or driver is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Confidence, Finding, Location, Severity
from ...flags.diagnose import ConfigSubject, fix
from ...flags.model import Dialect, FailureKind, Kind
from ..base import Rule
from .examples import config

OWN_RULE = (FailureKind.FLAGS_SYNTAX, FailureKind.RC_SYNTAX, FailureKind.RC_ENCODING, FailureKind.REMOVED)
"""Kinds of failures that other rules find, with better words."""


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    failure = s.resolution.failure
    if failure is None or failure.kind in OWN_RULE:
        return
    if failure.kind is FailureKind.INVALID_VALUE and (failure.flag is None or failure.flag.kind is not Kind.COMPILEDIR):
        return
    where = Location.of(failure.span) if failure.span else Location(s.dialect.flags_variable)
    message = f"{s.library} will not start: {failure.exception}: {failure.message}"
    yield Finding("TD271", Severity.ERROR, Confidence.DERIVED, message, where, fix("put this right first"))


RULE = Rule(
    "TD271",
    "refused",
    check,
    __doc__,
    fires=lambda: config(flags="tensor__local_elemwise_fusion=False", to=Dialect.AESARA),
    silent=lambda: config(flags="tensor.local_elemwise_fusion=False"),
)
