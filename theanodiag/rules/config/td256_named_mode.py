"""TD256: a named mode ignores other flags

What it finds
    A `mode` other than `Mode` beside `linker`, `optimizer`, `optimizer_including`, `optimizer_excluding` or `optimizer_requiring`.

Why it matters
    A named mode brings its own linker and optimizer: those flags have no effect.

Example
    `mode=FAST_RUN,optimizer_including=cudnn`.

What to do
    Take `mode` out (the default, `Mode`, is FAST_RUN with these flags), or the flags.

Limits
    For Theano 0.6 to 1.0, Aesara and PyTensor alike.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ..base import Rule
from .examples import config

OVERRULED = ("linker", "optimizer", "optimizer_including", "optimizer_excluding", "optimizer_requiring")


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding for each flag without effect."""
    mode = s.text("mode")
    if mode in (None, "Mode") or s.clashes():
        return
    for name in OVERRULED:
        found = s.winner(name)
        if found and found.value:
            message = f"{name} has no effect beside mode={mode}"
            yield finding("TD256", Severity.INFO, found, message, fix("take mode out, or this"))


RULE = Rule(
    "TD256",
    "named-mode",
    check,
    __doc__,
    fires=lambda: config(flags="mode=FAST_RUN,optimizer_including=cudnn"),
    silent=lambda: config(flags="mode=Mode,optimizer_including=cudnn"),
)
