"""TD101: a name of an older framework, which is moved

What it finds
    A use or an import of a name of Theano or Aesara that has a counterpart which computes the same.

Why it matters
    The older framework runs on no current Python.

Example
    `T.inv(x)` becomes `T.reciprocal(x)`.

What to do
    `theanodiag port FILE --write` writes it; `# theanodiag: ignore[TD101] reason` keeps the line as it is.

Limits
    Names in strings, in comments and behind `getattr` are not checked.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding
from ...porting.model import FileReport, Safety
from ..base import Rule
from . import example, findings


def check(s: FileReport) -> Iterator[Finding]:
    """One finding for each safe change."""
    return findings(s, Safety.SAFE)


RULE = Rule("TD101", "safe-change", check, __doc__, fires=lambda: example(Safety.SAFE), silent=lambda: FileReport("model.py", "", ""))
