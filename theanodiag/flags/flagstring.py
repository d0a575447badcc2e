"""Splits a flags variable (`THEANO_FLAGS`) as the libraries do, and keeps the place of every flag.

Rules (Theano 1.0.5, Aesara 2.9.4, PyTensor 3.3.7, configparser.py, parse_config_string): `shlex` with the comma as its only blank, so
quotes, backslashes and `#` mean what they mean to it; blanks round a flag are dropped, those round its `=` are not. Theano 0.6 only
splits at commas.
"""

from __future__ import annotations

import io
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import Span
from .model import Entry, Failure, FailureKind, Place


@dataclass(frozen=True)
class FlagText:
    """What a flags variable holds."""

    entries: tuple[Entry, ...]
    valueless: tuple[Entry, ...]
    """Words without `=`: the library warns and goes on. The word is the key, the value empty."""
    failure: Failure | None


def parse_flags(text: str, variable: str, quoting: bool = True) -> FlagText:
    """Reads `text`, the value of `variable`; `quoting` is False for Theano 0.6."""
    entries: list[Entry] = []
    valueless: list[Entry] = []
    failure = None
    try:
        for start, end, word in _shlex(text) if quoting else _split(text):
            word = word.strip()
            if word:
                entry, has_value = _entry(Span(variable, text, start, end), word)
                (entries if has_value else valueless).append(entry)
    except ValueError as error:
        # shlex: "No closing quotation" or "No escaped character".
        span = Span(variable, text, entries[-1].value_span.end if entries else 0, len(text))
        failure = Failure(FailureKind.FLAGS_SYNTAX, "ValueError", str(error), span)
    return FlagText(tuple(entries), tuple(valueless), failure)


def _shlex(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and content of each word."""
    stream = io.StringIO(text)
    lexer = shlex.shlex(stream, posix=True)
    lexer.whitespace = ","
    lexer.whitespace_split = True
    start = 0
    # A stream at its end gives None, the end mark of posix mode.
    while (word := lexer.get_token()) is not None:
        end = stream.tell()
        yield start, end, word
        start = end


def _split(text: str) -> Iterator[tuple[int, int, str]]:
    start = 0
    for word in text.split(","):
        yield start, start + len(word), word
        start += len(word) + 1


def _entry(region: Span, word: str) -> tuple[Entry, bool]:
    """The flag in `region`, whose content without quotes is `word`; and whether it has a `=`."""
    key, equals, value = word.partition("=")
    piece = region.text[region.start : region.end]
    begin = region.start + len(piece) - len(piece.lstrip(" \t\r\n,"))
    end = region.start + len(piece.rstrip(" \t\r\n,"))
    at = region.text.find("=", begin, end) if equals else -1
    key_end = at if at >= 0 else min(end, begin + len(key)) if equals else end
    key_span = Span(region.source, region.text, begin, max(begin, key_end))
    value_span = Span(region.source, region.text, min(key_end + 1, end), end) if equals else Span(region.source, region.text, end, end)
    return Entry(Place.VARIABLE, key, value, key_span, value_span), bool(equals)
