"""Converts the bytes of a configuration file to text and back without loss; raises an error with its place for what is no text.

The libraries open the file in the encoding of the locale (`configparser.ConfigParser.read` without `encoding`): UTF-8 on nearly every
machine. Bytes that are not UTF-8 become lone surrogates, so that `encode(decode(data)) == data` always holds.
"""

from __future__ import annotations

import re

from ..errors import Span, UnreadableError

BOM = "\ufeff"
_LOST = re.compile("[\udc80-\udcff]+")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def decode(data: bytes, source: str) -> str:
    """The text of `data`; raises `UnreadableError` for UTF-16 and for text with a NUL byte."""
    if data.startswith(_UTF16):
        shown = data[2:].decode("utf-16-le" if data[0] == 0xFF else "utf-16-be", "replace")
        advice = "save it as UTF-8 without a byte order mark"
        raise UnreadableError("the file is in UTF-16; the libraries read UTF-8", span=Span(source, shown, 0, 1), help=advice)
    text = data.decode("utf-8", "surrogateescape")
    if "\0" in text:
        place = Span(source, text, text.index("\0"), text.index("\0") + 1)
        raise UnreadableError("a NUL byte: this is not a text file", span=place, help="check the name of the file")
    return text


def encode(text: str) -> bytes:
    """The bytes of a text that `decode` returned."""
    return text.encode("utf-8", "surrogateescape")


def undecodable(text: str) -> tuple[tuple[int, int], ...]:
    """The runs (start, end) of characters that stand for bytes which are not UTF-8."""
    return tuple(match.span() for match in _LOST.finditer(text))


def from_latin1(text: str) -> str:
    """`text` in which each undecodable byte is read as Windows-1252, the usual encoding of such files."""
    return "".join(_cp1252(c) if "\udc80" <= c <= "\udcff" else c for c in text)


def _cp1252(c: str) -> str:
    byte = bytes([ord(c) - 0xDC00])
    try:
        return byte.decode("cp1252")
    except UnicodeDecodeError:
        return byte.decode("latin-1")
