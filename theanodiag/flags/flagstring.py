"""Reads a flags variable (`THEANO_FLAGS`) as the library does: entries, words without `=`, and the error if it would refuse to start.

`flags_variable` splits the text as the libraries do by `shlex`; Theano 0.6 splits at every comma. Blanks around a flag are dropped, those
around its `=` are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import Span
from .flags_variable import FlagsEntry, parse_flags, split_flags
from .model import Entry, Failure, FailureKind, Place


@dataclass(frozen=True)
class FlagText:
    """The contents of a flags variable."""

    entries: tuple[Entry, ...]
    """The flags with `=`."""
    valueless: tuple[Entry, ...]
    """Words without `=`, which the library ignores with a warning. The word is the key, the value is empty."""
    failure: Failure | None
    """The error with which the library refuses to start; None where it starts."""


def read_flags(text: str, variable: str, quoting: bool = True) -> FlagText:
    """Reads `text`, the contents of the variable called `variable`; `quoting` is False for Theano 0.6."""
    found = parse_flags(text, variable) if quoting else split_flags(text, variable)
    entries = [(e.value is not None, _entry(e)) for e in found.entries]
    failure = None
    if found.open_quote:
        # In the words of shlex.
        said = "No escaped character" if text[found.open_quote.start] == "\\" else "No closing quotation"
        start = found.entries[-1].span.end if found.entries else 0
        failure = Failure(FailureKind.FLAGS_SYNTAX, "ValueError", said, Span(variable, text, start, len(text)))
    return FlagText(tuple(e for has, e in entries if has), tuple(e for has, e in entries if not has), failure)


def _entry(e: FlagsEntry) -> Entry:
    return Entry(Place.VARIABLE, e.key, e.value or "", e.key_span, e.value_span)
