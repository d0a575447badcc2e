"""The difference between two texts, as `diff -u` prints it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

MOST = 4_000_000
"""Maximum number of line pairs to compare; larger files would take minutes, and are shown as one replaced piece."""
CONTEXT = 3


def difference(before: str, after: str, source: str, what: str) -> Iterator[str]:
    """The lines of the difference; `what` was done is shown after the name of the new text."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    head = next((n for n, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    most = min(len(old), len(new)) - head
    tail = next((n for n, (a, b) in enumerate(zip(reversed(old), reversed(new))) if a != b or n >= most), most)
    if (len(old) - head - tail) * (len(new) - head - tail) <= MOST:
        lines: Iterator[str] = difflib.unified_diff(old, new, source, f"{source} ({what})", n=CONTEXT)
    else:
        lines = _one_piece(old, new, head, tail, source, what)
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _one_piece(old: list[str], new: list[str], head: int, tail: int, source: str, what: str) -> Iterator[str]:
    """All from the first to the last line that differs, taken out and put in."""
    first, last = max(0, head - CONTEXT), min(tail, CONTEXT)
    counts = (len(old) - first - tail + last, len(new) - first - tail + last)
    yield from (f"--- {source}\n", f"+++ {source} ({what})\n", f"@@ -{first + 1},{counts[0]} +{first + 1},{counts[1]} @@\n")
    yield from (f" {line}" for line in old[first:head])
    yield from (f"-{line}" for line in old[head : len(old) - tail])
    yield from (f"+{line}" for line in new[head : len(new) - tail])
    yield from (f" {line}" for line in old[len(old) - tail : len(old) - tail + last])
