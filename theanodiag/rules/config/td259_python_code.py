"""TD259: operations run as Python code

What it finds
    `linker=py`, or an empty `cxx` with a linker of C code.

Why it matters
    Every operation runs in numpy and Python: many times slower, and no GPU.

Example
    `cxx =`, written to silence a warning about g++.

What to do
    Install g++ and take the line out.

Limits
    PyTensor's Numba and JAX modes need no C compiler.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    compiled_elsewhere = s.text("mode") in ("JAX", "NUMBA", "PYTORCH", "MLX") or s.text("linker") == "auto"
    if s.text("linker") == "py":
        yield about("TD259", Severity.WARNING, s, "linker", "linker=py runs every operation in Python", fix("take it out"))
    elif s.winner("cxx") and not s.text("cxx") and not s.on_gpu and not compiled_elsewhere:
        yield about("TD259", Severity.WARNING, s, "cxx", "without a C++ compiler every operation runs in Python", fix("install g++"))


RULE = Rule(
    "TD259",
    "python-code",
    check,
    __doc__,
    fires=lambda: config(flags="cxx="),
    silent=lambda: config(flags="cxx=/usr/bin/g++"),
)
