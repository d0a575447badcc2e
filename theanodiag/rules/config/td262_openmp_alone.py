"""TD262: openmp_elemwise_minsize without openmp

What it finds
    `openmp_elemwise_minsize` set while `openmp` is off.

Why it matters
    It has no effect.

Example
    `[global]` with `openmp_elemwise_minsize = 200000` alone.

What to do
    `openmp = True`, or take it out.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    if s.winner("openmp_elemwise_minsize") and not s.is_on("openmp"):
        message = "openmp is off: this has no effect"
        yield about("TD262", Severity.INFO, s, "openmp_elemwise_minsize", message, fix("write openmp=True", code="openmp=True"))


RULE = Rule(
    "TD262",
    "openmp-alone",
    check,
    __doc__,
    fires=lambda: config("[global]\nopenmp_elemwise_minsize = 10\n"),
    silent=lambda: config("[global]\nopenmp = True\nopenmp_elemwise_minsize = 10\n"),
)
