"""TD257: a mode that cannot have this linker

What it finds
    `mode=FAST_RUN` or `FAST_COMPILE` with `linker=jax`, `numba` and their like in PyTensor.

Why it matters
    The first function that is compiled ends in a bare KeyError.

Example
    `PYTENSOR_FLAGS=mode=FAST_RUN,linker=jax`.

What to do
    `mode=JAX` (or NUMBA, PYTORCH, MLX) alone.

Limits
    Seen in PyTensor 2 and 3.
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
    if s.clashes():
        linker = s.text("linker") or ""
        message = f"mode={s.text('mode')} has no linker {linker}: a bare KeyError when a function is compiled"
        yield about("TD257", Severity.ERROR, s, "linker", message, fix(f"write mode={linker.upper()} alone", code=f"mode={linker.upper()}"))


RULE = Rule(
    "TD257",
    "mode-and-linker",
    check,
    __doc__,
    fires=lambda: config(flags="mode=FAST_RUN,linker=jax", to=Dialect.PYTENSOR),
    silent=lambda: config(flags="mode=JAX", to=Dialect.PYTENSOR),
)
