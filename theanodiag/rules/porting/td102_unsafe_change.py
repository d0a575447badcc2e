"""TD102: a change after which something else may be computed

What it finds
    A use of which the target's own form computes the same in most scripts, but not in all; the reason says where it differs.

Why it matters
    A moved script that runs and learns something else is worse than one that stops.

Example
    `T.nnet.softmax(x)` becomes `T.special.softmax(x, axis=-1)`, which of a vector gives a vector; Theano's gave a matrix of one row.

What to do
    Look at the line, and write it with `--unsafe`; without it the piece of `theanodiag.compat` is written, which computes what Theano did.

Limits
    Whether it differs in this script is not found out.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding
from ...porting.model import FileReport, Safety
from ..base import Rule
from . import example, findings


def check(s: FileReport) -> Iterator[Finding]:
    """One finding for each unsafe change."""
    return findings(s, Safety.UNSAFE)


RULE = Rule("TD102", "unsafe-change", check, __doc__, fires=lambda: example(Safety.UNSAFE), silent=lambda: FileReport("model.py", "", ""))
