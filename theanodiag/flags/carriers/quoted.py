"""Strings of JSON and their like, decoded, each character with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .model import Builder, Mapped

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", '"': '"', "\\": "\\", "'": "'", "0": "\0", "e": "\x1b"}


def json_strings(source: Mapped) -> Iterator[Mapped]:
    """Every string of a JSON text."""
    for found in _STRING.finditer(source.text):
        yield unescaped(source.part(found.start() + 1, found.end() - 1))


def unescaped(source: Mapped) -> Mapped:
    """A text with its backslash escapes replaced by what they stand for."""
    if "\\" not in source.text:
        return source
    made, at = Builder(), 0
    while at < len(source):
        if source.text[at] != "\\" or at + 1 >= len(source):
            made.take(source, at)
            at += 1
            continue
        follows = source.text[at + 1]
        width = {"u": 6, "x": 4}.get(follows, 2)
        digits = source.text[at + 2 : at + width]
        if width > 2 and re.fullmatch(r"[0-9a-fA-F]+", digits) and len(digits) == width - 2:
            made.take(source, at, at + width, chr(int(digits, 16)))
        elif follows == "\n":
            width = 2
        else:
            width = 2
            made.take(source, at, at + 2, _SIMPLE.get(follows, source.text[at : at + 2] if width > 2 else follows))
        at += width
    return made.mapped()
