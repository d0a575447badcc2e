"""TD216: a flag that this version does not have any more

What it finds
    Flags of older or newer generations, with what took their place.

Why it matters
    They are ignored: in a file in silence, in the variable with a warning.

Example
    `[nvcc] fastmath = True` with Theano 1.0.

What to do
    Take it out, or write its successor; `theanodiag config rewrite` does both.

Limits
    Flags with a rule of their own (devices, `lib.cnmem`, `nvcc.*`) are reported there.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.migrate_entry import was_live
from ...flags.model import Dialect
from ...flags.names import GPU_ONLY, fold, history
from ...flags.table import advice
from ..base import Rule
from .examples import config

OWN_RULE = ("device", "init_gpu_device", "lib.cnmem")


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.unknown():
        if w.value is None or w.name in OWN_RULE or w.name.startswith("nvcc.") or not was_live(w.name, w.section, w.key):
            continue
        if s.table.dotted(w.name) or (s.dialect is not Dialect.THEANO and w.name.startswith(GPU_ONLY)):
            continue
        known, old = advice(w.name), history(fold(w.name))[-1]
        instead = f"; {known.successor} took its place" if known and known.successor else ""
        note = f" ({known.note})" if known and known.note else ""
        message = f"{s.library} has no flag {w.name}, which {old.dialect.value} {old.last} had: ignored{instead}{note}"
        advised = fix(f"write {known.successor}" if known and known.successor else "take it out")
        yield finding("TD216", Severity.WARNING, w, message, advised)


RULE = Rule(
    "TD216",
    "removed-flag",
    check,
    __doc__,
    fires=lambda: config("[global]\nint_division = int\n", to=Dialect.AESARA),
    silent=lambda: config("[global]\ncast_policy = custom\n", to=Dialect.AESARA),
)
