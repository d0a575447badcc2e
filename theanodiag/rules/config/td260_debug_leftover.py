"""TD260: a switch for debugging is on

What it finds
    `mode=DebugMode`, `DEBUG_MODE` or `NanGuardMode`, `profile`, `compute_test_value` and `nocleanup`.

Why it matters
    DebugMode computes everything several times; test values take the memory of a second run; `nocleanup` fills the disk.

Example
    `compute_test_value = warn` in a file that is used for training.

What to do
    Take it out.

Limits
    Right while an error is looked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, about, fix
from ..base import Rule
from .examples import config

SWITCHES = (
    ("mode", ("DebugMode", "DEBUG_MODE"), "computes everything several times and compares"),
    ("mode", ("NanGuardMode",), "looks at every value of every array"),
    ("profile", ("True", "true", "1"), "times every operation"),
    ("compute_test_value", ("warn", "raise", "pdb", "ignore"), "computes and keeps a value for every variable"),
    ("nocleanup", ("True", "true", "1"), "leaves the files of failed compilations"),
)  # fmt: skip


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding a switch."""
    for name, on, effect in SWITCHES:
        if s.text(name) in on:
            yield about("TD260", Severity.INFO, s, name, f"{name}={s.text(name)} {effect}", fix("take it out"))


RULE = Rule(
    "TD260",
    "debug-leftover",
    check,
    __doc__,
    fires=lambda: config(flags="mode=DebugMode"),
    silent=lambda: config(flags="mode=FAST_RUN"),
)
