"""TD266: XLA's share of the memory under its old name, or under both

What it finds
    XLA_PYTHON_CLIENT_MEM_FRACTION, alone or beside XLA_CLIENT_MEM_FRACTION, with Aesara or PyTensor.

Why it matters
    The old name is deprecated; with both set JAX stops with an error.

Example
    `export XLA_PYTHON_CLIENT_MEM_FRACTION=.8`.

What to do
    Set XLA_CLIENT_MEM_FRACTION alone.

Limits
    Old versions of JAX know the old name only.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Confidence, Finding, Location, Severity
from ...flags.diagnose import ConfigSubject, fix
from ...flags.model import Dialect
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    old, new = s.env("XLA_PYTHON_CLIENT_MEM_FRACTION"), s.env("XLA_CLIENT_MEM_FRACTION")
    if s.dialect is Dialect.THEANO or old is None:
        return
    message = "JAX stops if this is set beside XLA_CLIENT_MEM_FRACTION" if new is not None else "this name is deprecated"
    severity = Severity.INFO if new is None else Severity.ERROR
    advice = fix("set XLA_CLIENT_MEM_FRACTION alone", code=f"export XLA_CLIENT_MEM_FRACTION={new or old}")
    yield Finding("TD266", severity, Confidence.DERIVED, message, Location("XLA_PYTHON_CLIENT_MEM_FRACTION"), advice)


RULE = Rule(
    "TD266",
    "xla-fraction",
    check,
    __doc__,
    fires=lambda: config(to=Dialect.PYTENSOR, env=(("XLA_PYTHON_CLIENT_MEM_FRACTION", ".8"), ("XLA_CLIENT_MEM_FRACTION", ".8"))),
    silent=lambda: config(to=Dialect.PYTENSOR, env=(("XLA_CLIENT_MEM_FRACTION", ".8"),)),
)
