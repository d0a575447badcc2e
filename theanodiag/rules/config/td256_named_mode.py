"""TD256: a named mode ignores other flags

What it finds
    A `mode` other than `Mode` beside flags that it ignores: `linker` and `optimizer`, and with PyTensor from 2.27 on also
    `optimizer_including`, `optimizer_excluding` and `optimizer_requiring`.

Why it matters
    A named mode brings its own linker and optimizer: those flags have no effect.

Example
    `mode=FAST_RUN,optimizer=None`.

What to do
    Take `mode` out (the default, `Mode`, is FAST_RUN with these flags), or the flags.

Limits
    DebugMode and NanGuardMode take the optimizer and ignore the linker; FAST_RUN of PyTensor from 2.36 on takes the linker. Read in
    `get_mode` of Theano 0.6.0 and 1.0.5, Aesara 2.9.4, PyTensor 2.26.4, 2.27.1, 2.35.1, 2.36.0 and 3.0.7 (compile/mode.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.model import Dialect
from ...flags.table import number
from ..base import Rule
from .examples import config

CHANGES = ("optimizer_including", "optimizer_excluding", "optimizer_requiring")
OPTIMIZING = ("Mode", "ProfileMode", "DebugMode", "DEBUG_MODE", "NanGuardMode")
"""Modes that are made with the flag `optimizer`."""


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding for each flag without effect."""
    mode = s.text("mode")
    if mode in (None, "Mode") or s.clashes():
        return
    for name in overruled(s, mode):
        found = s.winner(name)
        if found and found.value:
            message = f"{name} has no effect beside mode={mode}"
            yield finding("TD256", Severity.INFO, found, message, fix("take mode out, or this"))


def overruled(s: ConfigSubject, mode: str | None) -> tuple[str, ...]:
    """The flags that a mode of that name ignores."""
    optimizer = () if mode in OPTIMIZING else ("optimizer",)
    version = number(s.table.version)
    if s.dialect is not Dialect.PYTENSOR or version < (2, 27):
        return () if mode == "ProfileMode" else ("linker", *optimizer)
    takes_linker = () if mode == "FAST_RUN" and version >= (2, 36) else ("linker",)
    return (*takes_linker, *optimizer, *(CHANGES if optimizer else ()))


RULE = Rule(
    "TD256",
    "named-mode",
    check,
    __doc__,
    fires=lambda: config(flags="mode=FAST_RUN,optimizer=None"),
    silent=lambda: config(flags="mode=FAST_RUN,optimizer_excluding=fusion"),
)
