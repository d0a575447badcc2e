"""TD241: a GPU without a C++ compiler

What it finds
    A GPU device together with an empty `cxx`.

Why it matters
    The gpuarray back-end needs a C++ compiler for its operations: the GPU does not start, and the job runs on the CPU.

Example
    `device = cuda` and `cxx =`.

What to do
    Install g++ and take the empty `cxx` out.

Limits
    A compiler that is named but missing is not seen.
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
    if s.dialect is Dialect.THEANO and s.on_gpu and s.winner("cxx") and not s.text("cxx"):
        advice = fix("install g++ and take the empty cxx out")
        yield about("TD241", Severity.ERROR, s, "cxx", "the GPU back-end needs a C++ compiler", advice)


RULE = Rule(
    "TD241",
    "gpu-without-compiler",
    check,
    __doc__,
    fires=lambda: config("[global]\ndevice = cuda\nforce_device = True\ncxx =\n"),
    silent=lambda: config("[global]\ndevice = cpu\ncxx =\n"),
)
