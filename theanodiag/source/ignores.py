"""Comments that silence findings: `# theanodiag: ignore[TD503] reason`, and `ignore-file[...]` for a whole file."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

_COMMENT = re.compile(r"#\s*theanodiag:\s*(ignore(?:-file)?)\s*(?:\[([^\]]*)\])?\s*(.*)", re.IGNORECASE)


@dataclass(frozen=True)
class Ignore:
    """One such comment."""

    line: int
    """1-based."""
    codes: tuple[str, ...]
    """Codes or their beginnings (`TD5`), in capitals; none: every code."""
    reason: str
    whole_file: bool
    alone: bool
    """Whether the comment has a line of its own: then it is about the next line too."""

    def covers(self, code: str, line: int | None) -> bool:
        """Whether it silences a finding of that code at that line."""
        if self.codes and not code.startswith(self.codes):
            return False
        return self.whole_file or line == self.line or (self.alone and line == self.line + 1)

    def __str__(self) -> str:
        name = "ignore-file" if self.whole_file else "ignore"
        return f"{name}[{','.join(self.codes)}]" if self.codes else name


def read_ignores(text: str) -> tuple[Ignore, ...]:
    """The comments in a source text; in one that is no Python of this version, whatever looks like them."""
    return tuple(found for line, before, comment in _comments(text) if (found := _ignore(line, before, comment)))


def _comments(text: str) -> Iterator[tuple[int, str, str]]:
    """Line number, what stands before it, and the comment."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        for number, line in enumerate(text.splitlines(), 1):
            before, mark, rest = line.partition("#")
            if mark:
                yield number, before, mark + rest
        return
    for token in tokens:
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.line[: token.start[1]], token.string


def _ignore(line: int, before: str, comment: str) -> Ignore | None:
    match = _COMMENT.match(comment)
    if match is None:
        return None
    codes = tuple(c.strip().upper() for c in (match[2] or "").split(",") if c.strip())
    return Ignore(line, codes, match[3].strip(), match[1].lower() == "ignore-file", not before.strip())
