"""TD263: no BLAS library

What it finds
    `blas.ldflags` set to nothing.

Why it matters
    Matrix products in C code are left to numpy, copied back and forth, or to a slow own version: much slower on the CPU.

Example
    `[blas]` with `ldflags =`.

What to do
    `ldflags = -lopenblas`, or the flags of your BLAS; without the line the library asks numpy.

Limits
    Of little weight where all products run on the GPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    if s.winner("blas.ldflags") and not s.text("blas.ldflags") and not s.on_gpu:
        code = s.spell("blas.ldflags", "-lopenblas")
        message = "no BLAS library for C code: matrix products are slow"
        yield about("TD263", Severity.INFO, s, "blas.ldflags", message, fix(f"write {code}", code=code))


RULE = Rule(
    "TD263",
    "empty-blas",
    check,
    __doc__,
    fires=lambda: config("[blas]\nldflags =\n"),
    silent=lambda: config("[blas]\nldflags = -lopenblas\n"),
)
