"""TD230: a variable of another library

What it finds
    THEANO_FLAGS, AESARA_FLAGS or PYTENSOR_FLAGS (or the RC variables) set while another of the three libraries is asked about.

Why it matters
    Each library reads its own variable only: after a migration the old settings have no effect.

Example
    `THEANO_FLAGS=floatX=float32` with PyTensor.

What to do
    `theanodiag config rewrite --flags "$THEANO_FLAGS" --to pytensor` gives the new text.

Limits
    The old variable may be there for another program.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Confidence, Finding, Location, Severity
from ...flags.diagnose import ConfigSubject, fix
from ...flags.model import Dialect
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding a variable."""
    flags = [(d.flags_variable, s.dialect.flags_variable) for d in Dialect if d is not s.dialect]
    for name, mine in (*flags, *((d.rc_variable, s.dialect.rc_variable) for d in Dialect if d is not s.dialect)):
        if s.env(name) and name not in s.context.translated:
            message = f"{s.library} does not read {name}: it reads {mine}"
            yield Finding("TD230", Severity.WARNING, Confidence.BOUNDED, message, Location(name), fix(f"set {mine}"))


RULE = Rule(
    "TD230",
    "other-variable",
    check,
    __doc__,
    fires=lambda: config(to=Dialect.PYTENSOR, env=(("THEANO_FLAGS", "floatX=float32"),)),
    silent=lambda: config(flags="floatX=float32"),
)
