"""TD234: lib.cnmem with the new back-end

What it finds
    `lib.cnmem` with Theano 1.0 and later, or beside `device=cuda*` in 0.9.

Why it matters
    It is ignored in silence, so that nothing is reserved and memory fragments; `gpuarray.preallocate` took its place.

Example
    `[lib]` with `cnmem = 0.8`.

What to do
    Write `gpuarray.preallocate` with the same number, but `-1` for 0 (pool off; 0 keeps a cache) and at most 0.95.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.model import Dialect
from ...flags.translations import special
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.written:
        ignored = w.flag is None or (s.text("device") or "").startswith("cuda")
        if w.name != "lib.cnmem" or not ignored or s.dialect is not Dialect.THEANO:
            continue
        move = special("lib.cnmem", w.value or "", s.table)
        code = "gpuarray.preallocate=" + move.writes[0][1] if move and move.writes else None
        message = "lib.cnmem has no effect on the gpuarray back-end" + (f": {code} is the equivalent" if code else "")
        yield finding("TD234", Severity.WARNING, w, message, fix(f"write {code or 'gpuarray.preallocate'}", code=code))


RULE = Rule(
    "TD234",
    "cnmem-ignored",
    check,
    __doc__,
    fires=lambda: config("[global]\ndevice = cuda0\n[lib]\ncnmem = 0.8\n"),
    silent=lambda: config("[global]\ndevice = gpu0\n[lib]\ncnmem = 0.8\n", version="0.8.2"),
)
