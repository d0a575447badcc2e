"""TD272: blas.ldflags has a word that is no option

What it finds
    Words of `blas.ldflags` that the libraries refuse: those that do not begin with `-`, and `-I`.

Why it matters
    The text is split at blanks, and each word must be an option such as `-L/usr/lib` or `-lopenblas`. A path with a blank in it, a path
    without `-L`, or the flag's own name once more stop every function that uses BLAS: `ValueError: invalid token`.

Example
    `ldflags = -LC:\\Program Files\\OpenBLAS -lopenblas`.

What to do
    Write `-L` before folders and `-l` before libraries; a folder with a blank in its name needs a link without one.

Limits
    Whether a library is there is not looked up. Comments and quotes have rules of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, finding, fix
from ...flags.validity import split_comment, unquoted
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding, about the first such word."""
    w = s.winner("blas.ldflags")
    if w is None:
        return
    text = s.interpolated(w)
    if w.section is not None and (split_comment(text)[1] or unquoted(text) != text):  # TD222, TD221
        return
    word = next((word for word in text.split() if not is_option(unquoted(word))), None)
    if word is not None:
        message = f"{word!r} in blas.ldflags is no option: {s.library} refuses it where BLAS is used (invalid token)"
        yield finding("TD272", Severity.ERROR, w, message, fix("write -L before folders and -l before libraries, without blanks in them"))


def is_option(word: str) -> bool:
    """Whether the library takes it (Theano 1.0.5, Aesara 2.9.4 and PyTensor 3.0.7, tensor/blas.py, _ldflags)."""
    return len(word) > 2 and word.startswith("-") and word[1] != "I"


RULE = Rule(
    "TD272",
    "ldflags-token",
    check,
    __doc__,
    fires=lambda: config("[blas]\nldflags = -L/opt/my libs -lopenblas\n"),
    silent=lambda: config("[blas]\nldflags = -L/opt/libs '-lopenblas' -fopenmp\n"),
)
