"""Which framework names a script uses and where, and what they are called in another framework. Reads the text, never runs it."""

from __future__ import annotations

import ast
import enum
import io
import re
import tokenize
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import Span, UnreadableError
from . import names
from .bindings import NameCollector, NameUse
from .rows import Row

_PYTHON2 = re.compile(
    r"""^\s*print\s+[^\s(=]|^\s*print\s*$|^\s*except\s+[\w.()\s,]+,\s*\w+\s*:|^\s*raise\s+[\w.]+\s*,|^\s*exec\s+[^\s(=]|<>|`[^`]+`|\bur['"]|\b0\d+\b"""
)
"""Matches lines that only Python 2 can read."""
_HELP_2 = "this is Python 2: name the interpreter that runs it, such as --python /usr/bin/python2.7"
_HELP_3 = "where the script is for another Python than this one, name that interpreter with --python"


class Change(enum.Enum):
    """What happens to a name in another framework."""

    SAME = "same"
    """Written as before."""
    RENAMED = "renamed"
    """Another name with the same meaning."""
    ADAPTED = "adapted"
    """Other arguments or another behaviour."""
    REMOVED = "removed"
    """No counterpart in the target framework."""


@dataclass(frozen=True)
class Use:
    """One use of a framework's name in a script."""

    name: str
    """Full dotted name, whatever the script calls it: `theano.tensor.nnet.softmax`."""
    span: Span
    """Its place in the script."""

    @property
    def framework(self) -> str:
        """The root of the name."""
        return self.name.partition(".")[0]


@dataclass(frozen=True)
class Counterpart:
    """What to write in the target framework for one use."""

    use: Use
    """The use that it is for."""
    change: Change
    """What happens to the name."""
    replacement: str | None
    """Code, or words where code is not enough; None where only the import changes."""


def decode(data: bytes, path: str) -> str:
    """Text of a Python source file by its own encoding declaration; UnreadableError where it cannot be decoded."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise UnreadableError(f"this is not Python source: {error}", path=path, help="give the path of a Python script") from None


def scan(text: str, path: str = "<stdin>") -> tuple[Use, ...]:
    """All uses of framework names in the order of the text; UnreadableError where this Python cannot parse it."""
    walker = NameCollector()
    walker.visit(_parse(text, path))
    starts = _line_starts(text)
    spans = ((found, _span(found, text, path, starts)) for found in walker.found)
    return tuple(Use(found.name, span) for found, span in sorted(spans, key=lambda pair: pair[1].start))


def counterparts(uses: Iterable[Use], target: str, version: str | None = None) -> tuple[Counterpart, ...]:
    """Counterpart in `target` (`aesara` or `pytensor`) at `version` (None: the newest) of each use of another framework."""
    return tuple(counterpart(use, target, version) for use in uses if use.framework != target and use.framework in names.ORIGINS)


def counterpart(use: Use, target: str, version: str | None = None) -> Counterpart:
    """Counterpart of one use; the longest part of its name that the table lists decides (of `T.nnet.conv.conv2d`)."""
    parts = use.name.split(".")[1:]
    for end in range(len(parts), 0, -1):
        row = names.lookup(".".join(parts[:end]), target, version, use.framework)
        if row:
            change = _change(row)
            return Counterpart(use, change, None if change is Change.SAME else names.advice(row, target))
    gone = names.removed(".".join(parts), target)
    if gone:
        change = Change.ADAPTED if gone.served and target == "pytensor" else Change.REMOVED
        return Counterpart(use, change, gone.help.replace("{}", target))
    return Counterpart(use, Change.SAME, None)


def _change(row: Row) -> Change:
    if row.new[:1] in ("=", "+"):
        return Change.ADAPTED if row.help else Change.SAME
    return Change.RENAMED if row.new else Change.REMOVED


def _parse(text: str, path: str) -> ast.Module:
    try:
        with warnings.catch_warnings():  # such as invalid escapes in the script's strings
            warnings.simplefilter("ignore")
            return ast.parse(text, path)
    except SyntaxError as error:
        raise _unreadable(error, text, path) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnreadableError(f"this is not Python source: {error}", path=path, help="give the path of a Python script") from None


def _unreadable(error: SyntaxError, text: str, path: str) -> UnreadableError:
    starts = _line_starts(text)
    line = min(max(error.lineno or 1, 1), len(starts))
    begin = starts[line - 1] + max((error.offset or 1) - 1, 0)
    span = Span(path, text, min(begin, len(text)), min(begin + 1, len(text)))
    lines = text.splitlines()
    old = any(_PYTHON2.search(lines[i]) for i in range(max(line - 2, 0), min(line, len(lines))))
    return UnreadableError(f"syntax error: {error.msg}", span=span, help=_HELP_2 if old else _HELP_3)


def _line_starts(text: str) -> list[int]:
    """Offset of the first character of each line, with the line ends that Python's parser knows."""
    return [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]


def _span(found: NameUse, text: str, path: str, starts: list[int]) -> Span:
    node = found.node
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
    return Span(path, text, _offset(text, starts, node.lineno, node.col_offset), _offset(text, starts, end_line, end_column))


def _offset(text: str, starts: list[int], line: int, column: int) -> int:
    """Character offset of a line number and a column counted in UTF-8 bytes, as `ast` gives them."""
    begin = starts[line - 1]
    end = starts[line] if line < len(starts) else len(text)
    return begin + len(text[begin:end].encode("utf-8")[:column].decode("utf-8", "ignore"))
