"""What the flags variable (`THEANO_FLAGS`) sets, to the library: its entries, those without `=` apart, and why it would not start.

`variable` takes the text apart as `shlex` does for the libraries; Theano 0.6 only split at commas. Blanks round a flag are dropped, those
round its `=` are not.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import Span
from .flags_variable import FlagsEntry, parse_flags, split_flags
from .model import Entry, Failure, FailureKind, Place


@dataclass(frozen=True)
class FlagText:
    """What a flags variable holds."""

    entries: tuple[Entry, ...]
    valueless: tuple[Entry, ...]
    """Words without `=`: the library warns and goes on. The word is the key, the value empty."""
    failure: Failure | None


def read_flags(text: str, variable: str, quoting: bool = True) -> FlagText:
    """Reads `text`, the value of `variable`; `quoting` is False for Theano 0.6."""
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
