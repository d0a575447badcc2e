"""TD226: ~ or $HOME that stays as it is

What it finds
    `$NAME` in any flag, and a leading `~` in flags that are plain text, such as `cuda.root` or `dnn.include_path`.

Why it matters
    The library expands neither: it looks for a folder of that name. (A leading `~` works in the compiledir flags only.)

Example
    `[cuda]` with `root = $CUDA_HOME`.

What to do
    Write the whole path. In a file, `%(USER)s` and `%(TMPDIR)s` work.

Limits
    A shell has expanded what it could before; what is left in the variable was quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.model import Kind
from ..base import Rule
from .examples import config

DOLLAR = re.compile(r"\$(\w+|\{\w+\})")


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding an entry."""
    for w in s.written:
        if w.flag is None or not w.value or w.flag.kind not in (Kind.STR, Kind.PATH, Kind.COMPILEDIR, Kind.ANY):
            continue
        dollar = DOLLAR.search(w.value)
        tilde = w.value.startswith("~") and w.flag.kind is Kind.STR
        if dollar or tilde:
            what = dollar[0] if dollar else "~"
            message = f"{what} is not expanded: {s.library} takes it as it stands"
            yield finding("TD226", Severity.WARNING, w, message, fix("write the whole path"))


RULE = Rule(
    "TD226",
    "unexpanded-path",
    check,
    __doc__,
    fires=lambda: config("[cuda]\nroot = $HOME/cuda\n"),
    silent=lambda: config("[global]\nbase_compiledir = ~/.theano-fast\n"),
)
