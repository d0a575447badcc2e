"""TD255: no optimizations at all

What it finds
    `optimizer=None`.

Why it matters
    Nothing moves to the GPU, since that is an optimization too: the job runs on the CPU, slowly, with an array for every step.

Example
    `optimizer = None` in the file of a container image.

What to do
    `optimizer = fast_run`, the default.

Limits
    Right for finding errors.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    if s.text("optimizer") == "None":
        gpu = ", and nothing moves to the GPU" if s.on_gpu else ""
        message = f"optimizer=None: every operation runs as it is written{gpu}"
        advice = fix("write optimizer=fast_run", code="optimizer=fast_run")
        yield about("TD255", Severity.WARNING, s, "optimizer", message, advice)


RULE = Rule(
    "TD255",
    "no-optimizer",
    check,
    __doc__,
    fires=lambda: config(flags="optimizer=None"),
    silent=lambda: config(flags="optimizer=fast_run"),
)
