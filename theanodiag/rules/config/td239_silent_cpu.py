"""TD239: without force_device the job may run on the CPU

What it finds
    A GPU device with `force_device` off.

Why it matters
    If the GPU cannot be started (no memory left for the reserve, no pygpu, a wrong name) this is only logged, and the job runs on the CPU.

Example
    `device = cuda0` alone.

What to do
    `force_device = True`: the job stops with an error instead.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ...flags.model import Dialect
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    if s.dialect is Dialect.THEANO and s.on_gpu and s.is_taken("device") and not s.is_on("force_device"):
        message = "if the GPU does not start, this is only logged and the job runs on the CPU"
        yield about("TD239", Severity.INFO, s, "device", message, fix("write force_device=True", code="force_device=True"))


RULE = Rule(
    "TD239",
    "silent-cpu",
    check,
    __doc__,
    fires=lambda: config(flags="device=cuda0"),
    silent=lambda: config(flags="device=cuda0,force_device=True"),
)
