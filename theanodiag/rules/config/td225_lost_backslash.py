r"""TD225: a backslash that is taken away

What it finds
    Backslashes in the flags variable outside single quotes, as in Windows paths.

Why it matters
    The splitting takes them off: `C:\tools\g++` becomes `C:toolsg++`.

Example
    `THEANO_FLAGS=cxx=C:\mingw\bin\g++.exe`.

What to do
    Write slashes, or put the value in single quotes. In an rc file backslashes stay.

Limits
    One before a quote or another backslash is meant as an escape and not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """One finding, at the first such backslash."""
    for place in s.variable.backslashes if s.variable else ():
        if place.text[place.end : place.end + 1] not in ("'", '"', "\\", ",", "#"):
            advice = fix("write / instead, or single quotes round the value")
            yield finding("TD225", Severity.WARNING, place, "this backslash is taken away", advice)
            return


RULE = Rule(
    "TD225",
    "lost-backslash",
    check,
    __doc__,
    fires=lambda: config(flags="cxx=C:\\mingw\\bin\\g++.exe"),
    silent=lambda: config(flags="cxx='C:\\mingw\\bin\\g++.exe'"),
)
