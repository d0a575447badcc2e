"""Source files as text and back, byte for byte: encoding, byte order mark and ends of lines stay."""

from __future__ import annotations

import codecs
import io
import tokenize
from dataclasses import dataclass

from ..errors import UnreadableError


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
