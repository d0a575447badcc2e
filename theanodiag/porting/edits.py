"""Edits of a source text, and reading the text of a source file."""

from __future__ import annotations

import codecs
import io
import tokenize
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..errors import UnreadableError
from .model import PortEdit


def applied(text: str, edits: Iterable[PortEdit]) -> str:
    """The text with all edits made; an edit that overlaps an earlier one is dropped. Insertions at the same place keep their order."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.start < at:
            continue
        parts += [text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join([*parts, text[at:]])


@dataclass(frozen=True)
class Around:
    """The surroundings of a source file."""

    stem: str = ""
    """Name of the module itself."""
    beside: frozenset[str] = frozenset()
    """Names of the modules and packages in its folder, if that is a package; Python 2 can import them by name alone."""
    above: frozenset[str] = frozenset()
    """Names of the modules and packages in its folder and in all parent folders up to the top of the repository."""
    is_python2: Callable[[], bool] = lambda: False
    """Whether its package is written for Python 2: at least one of its sources is."""


NOWHERE = Around()
"""The surroundings of a text that is not a file, or whose place is unknown."""


@dataclass(frozen=True)
class SourceText:
    """The text of a file, and the information needed to convert it back to bytes."""

    text: str
    encoding: str
    mark: bytes = b""
    """The byte order mark that the file begins with."""

    def encoded(self, text: str) -> bytes:
        """The bytes of a new text in the file's encoding, with its byte order mark."""
        return self.mark + text.encode(self.encoding)


def read(data: bytes, path: str) -> SourceText:
    """Decodes a Python source; raises UnreadableError if it has null bytes.

    If the declared encoding is wrong, or none is declared and the source is not UTF-8, it is decoded as Latin-1: one character for each
    byte, as in Python 2.
    """
    if b"\0" in data:
        raise UnreadableError("this is not Python source: it has null bytes", path=path, help="leave the file out")
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    body = data[len(mark) :]
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(body).readline)
        text = body.decode(encoding)
        if text.encode(encoding) == body:
            return SourceText(text, encoding, mark)
    except (SyntaxError, UnicodeError, LookupError):
        pass
    return SourceText(body.decode("latin-1"), "latin-1", mark)
