"""TD254: few optimizations

What it finds
    `optimizer` at `fast_compile`, `o1` or `merge`, or `mode=FAST_COMPILE`.

Why it matters
    Functions compile faster and run slower, with more memory: no fusion, nothing in place, and on a GPU most work stays on the CPU.

Example
    `optimizer = fast_compile` left over from debugging.

What to do
    `optimizer = fast_run`, the default.

Limits
    Right while a model is written.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    for name, few, better in (("optimizer", ("fast_compile", "o1", "merge"), "fast_run"), ("mode", ("FAST_COMPILE",), "FAST_RUN")):
        if s.text(name) in few:
            message = f"{s.text(name)} leaves most optimizations out: slower, and more memory"
            yield about("TD254", Severity.INFO, s, name, message, fix(f"write {name}={better}", code=f"{name}={better}"))


RULE = Rule(
    "TD254",
    "fast-compile",
    check,
    __doc__,
    fires=lambda: config(flags="optimizer=fast_compile"),
    silent=lambda: config(flags="optimizer=fast_run"),
)
