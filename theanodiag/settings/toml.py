"""TOML with places: what the standard library reads, and where in the text each key stands."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

from ..errors import Span, UnreadableError, line_starts

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_AT = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")
ADVICE = "correct the file, or use --isolated"
CANDIDATES = 100
"""So many lines with a key's name in them are looked at for its place, and so many lines behind each for the end of its value."""


def parse(text: str, path: str) -> dict[str, Any]:
    """The document. Raises `UnreadableError` with the place where it is not TOML."""
    try:
        found: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _AT.search(str(error))
        at = len(text)
        if match and match["line"]:
            at = line_starts(text)[int(match["line"]) - 1] + int(match["column"]) - 1
        raise UnreadableError(f"not TOML: {_AT.sub('', str(error))}", span=Span(path, text, at, at + 1), help=ADVICE) from None
    except RecursionError:
        raise UnreadableError("not TOML: nested too deeply", path=path, help=ADVICE) from None
    return found


def span_of(text: str, path: str, keys: Sequence[str]) -> Span:
    """The place of the last of `keys`, which lead from the top of the document; its first character where it is not found.

    The statement that defines it begins in the first line behind a whole document without it that, with what follows, is one with it.
    """
    lines = text.split("\n")
    rows = [k for k, line in enumerate(lines) if keys[-1] in line]
    for row in rows[:CANDIDATES]:
        before = _document(lines[:row])
        if before is None or _has(before, keys):
            continue
        ends = range(row + 1, min(len(lines), row + CANDIDATES) + 1)
        whole = next((found for end in ends if (found := _document(lines[:end])) is not None), None)
        if whole is not None and _has(whole, keys):
            at = line_starts(text)[row] + lines[row].index(keys[-1])
            return Span(path, text, at, at + len(keys[-1]))
    return Span(path, text, 0, 1)


def _document(lines: Sequence[str]) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = tomllib.loads("\n".join(lines))
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    return found


def _has(found: Any, keys: Sequence[str]) -> bool:
    for key in keys:
        if not isinstance(found, dict) or key not in found:
            return False
        found = found[key]
    return True
