"""TD269: a linker of C code without a compiler

What it finds
    `linker=cvm`, `c` or `c|py` beside an empty `cxx`.

Why it matters
    Without a compiler these linkers are no valid values: the library does not start.

Example
    `cxx =` and `linker = cvm`.

What to do
    Install g++, or take the linker out.

Limits
    PyTensor takes them and falls back; it is not reported there.
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
    written = s.winner("linker") and s.winner("cxx") and s.dialect is not Dialect.PYTENSOR
    if written and not s.text("cxx") and s.text("linker") in ("c", "c|py", "c|py_nogc", "cvm", "cvm_nogc"):
        message = f"linker={s.text('linker')} needs a C++ compiler: {s.library} will not start"
        yield about("TD269", Severity.ERROR, s, "linker", message, fix("install g++, or take the linker out"))


RULE = Rule(
    "TD269",
    "compiled-linker",
    check,
    __doc__,
    fires=lambda: config("[global]\ncxx =\nlinker = cvm\n"),
    silent=lambda: config("[global]\ncxx =\nlinker = py\n"),
)
