"""Edits of a text."""

from __future__ import annotations

import codecs
import io
import tokenize
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..errors import UnreadableError
from .model import PortEdit


def applied(text: str, edits: Iterable[PortEdit]) -> str:
    """The text with all edits made; one that overlaps an earlier one is left out. Of several insertions at one place the order stays."""
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
    """The place of a source among others."""

    stem: str = ""
    """The name of the module that it is itself."""
    beside: frozenset[str] = frozenset()
    """Names of the modules and packages in its folder, where that is a package: what Python 2 imports by their names alone."""
    above: frozenset[str] = frozenset()
    """Names of the modules and packages in its folder and in those above it, up to the top of its repository."""
    is_python2: Callable[[], bool] = lambda: False
    """Whether its package is one of Python 2: a source of it is."""


NOWHERE = Around()
"""Of a text that is no file, or whose place is not known."""


@dataclass(frozen=True)
class SourceText:
    """The text of a file, and how it becomes bytes again."""

    text: str
    encoding: str
    mark: bytes = b""
    """The byte order mark that the file begins with."""

    def encoded(self, text: str) -> bytes:
        """The bytes of a text that takes this one's place."""
        return self.mark + text.encode(self.encoding)


def read(data: bytes, path: str) -> SourceText:
    """The text of a Python source; raises UnreadableError for what is none.

    Where the declared encoding is wrong, or none is declared and it is not UTF-8, each byte is a character, as Python 2 had it.
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
