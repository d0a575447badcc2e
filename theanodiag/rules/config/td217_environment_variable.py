"""TD217: an environment variable written as a flag

What it finds
    Names such as `OMP_NUM_THREADS` or `CUDA_ROOT` among the flags.

Why it matters
    They are read from the environment only: here they are ignored.

Example
    `[global]` with `OMP_NUM_THREADS = 5`.

What to do
    `export OMP_NUM_THREADS=5` in the shell before Python starts.

Limits
    Only names that the library or its parts are known to read, or that are all capitals with an underscore.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.environment import is_variable
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.unknown():
        if is_variable(w.key):
            shell = f"export {w.key}={w.value}"
            yield finding("TD217", Severity.WARNING, w, f"{w.key} is an environment variable: ignored here", fix(shell, code=shell))


RULE = Rule(
    "TD217",
    "environment-variable",
    check,
    __doc__,
    fires=lambda: config("[global]\nOMP_NUM_THREADS = 5\nopenmp = True\n"),
    silent=lambda: config("[global]\nopenmp = True\n", env=(("OMP_NUM_THREADS", "5"),)),
)
