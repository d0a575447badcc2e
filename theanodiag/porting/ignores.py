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
    """One comment that silences findings."""

    line: int
    """Line number of the comment, from 1."""
    codes: tuple[str, ...]
    """Codes that it silences, or their prefixes (`TD5`), in capitals; empty: every code."""
    reason: str
    """Why the finding is silenced: the text after the codes, which may be empty."""
    whole_file: bool
    """Whether it applies to the whole file (`ignore-file`)."""
    alone: bool
    """Whether the comment is alone on its line; it then also applies to the next line."""

    def covers(self, code: str, line: int | None) -> bool:
        """Whether it silences a finding with `code` at `line`."""
        if self.codes and not code.startswith(self.codes):
            return False
        return self.whole_file or line == self.line or (self.alone and line == self.line + 1)

    def __str__(self) -> str:
        name = "ignore-file" if self.whole_file else "ignore"
        return f"{name}[{','.join(self.codes)}]" if self.codes else name


def read_ignores(text: str) -> tuple[Ignore, ...]:
    """All ignore comments in a source; if this Python cannot tokenize it, everything after a `#` is treated as a comment."""
    return tuple(ignore for line, before, comment in _comments(text) if (ignore := _ignore(line, before, comment)))


def _comments(text: str) -> Iterator[tuple[int, str, str]]:
    """(line number, text before the comment, the comment) of each comment."""
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
