"""TD258: a linker without garbage collection

What it finds
    `linker` with `_nogc` in its name.

Why it matters
    Intermediate arrays stay allocated between calls, as with `allow_gc=False`, but the flag `allow_gc` still says True.

Example
    `linker = cvm_nogc`.

What to do
    `linker = cvm`.

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
    linker = s.text("linker") or ""
    if linker.endswith("_nogc"):
        code = f"linker={linker[:-5]}"
        yield about("TD258", Severity.WARNING, s, "linker", f"{linker} keeps every intermediate array", fix(f"write {code}", code=code))


RULE = Rule(
    "TD258",
    "nogc-linker",
    check,
    __doc__,
    fires=lambda: config(flags="linker=cvm_nogc"),
    silent=lambda: config(flags="linker=cvm"),
)
