"""TD245: a flag that may not be set at all

What it finds
    `dnn.conv.workmem`, `dnn.conv.workmem_bwd`, `dnn.conv.algo_bwd` and `gpuarray.sync` with a value.

Why it matters
    The library knows them only to refuse them: it does not start, even for `gpuarray.sync = False`.

Example
    `[dnn.conv]` with `algo_bwd = small`.

What to do
    `dnn.conv.algo_fwd`, or `algo_bwd_data` and `algo_bwd_filter`; take `gpuarray.sync` out.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.model import Kind
from ...flags.translations import special
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.effective():
        if w.flag and w.flag.kind is Kind.RETIRED and w.value:
            move = special(w.flag.dotted, w.value, s.table)
            code = ",".join(f"{n}={v}" for n, v in move.writes) if move else ""
            message = f"{w.flag.name} was removed: {s.library} will not start"
            yield finding("TD245", Severity.ERROR, w, message, fix(f"write {code}" if code else "take it out", code=code or None))


RULE = Rule(
    "TD245",
    "retired-flag",
    check,
    __doc__,
    fires=lambda: config("[dnn.conv]\nalgo_bwd = deterministic\n"),
    silent=lambda: config("[dnn.conv]\nalgo_bwd_data = deterministic\n"),
)
