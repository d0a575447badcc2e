"""TD215: dots and underscores mixed up

What it finds
    A flag with a dot where the library wants `__`, or the other way round. Aesara and PyTensor want `blas__ldflags` in their variable,
    Theano wants `blas.ldflags`; in a file all three want `[blas]` and `ldflags`.

Why it matters
    The flag is ignored; in a file without a word.

Example
    `PYTENSOR_FLAGS=blas.ldflags=-lopenblas`.

What to do
    Write the name as in the message.

Limits
    None known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix, replace_span
from ...flags.model import Dialect
from ...flags.names import fold
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    names = {fold(flag.dotted): flag for flag in s.table.flags}
    for w in s.unknown():
        flag = names.get(w.key.lower().replace("__", "."))
        if flag is None or "." not in flag.dotted or w.section not in (None, "global"):
            continue
        right = flag.name if w.section is None else f"[{flag.section}] {flag.option}"
        edits = (replace_span(w.key_span, flag.name),) if w.section is None else ()
        yield finding("TD215", Severity.WARNING, w, f"{w.key} is ignored: {s.library} wants {right} here", fix(f"write {right}", *edits))


RULE = Rule(
    "TD215",
    "wrong-separator",
    check,
    __doc__,
    fires=lambda: config(flags="blas.ldflags=-lopenblas", to=Dialect.PYTENSOR),
    silent=lambda: config(flags="blas__ldflags=-lopenblas", to=Dialect.PYTENSOR),
)
