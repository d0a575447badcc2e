"""The recorded answers, a file for each command, and what differs from them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

ANSWERS = Path(__file__).parent / "answers"
_PROMPT = "$ theanodiag"


def keep(found: Mapping[str, Mapping[str, str]]) -> None:
    """Writes the answers of today; those of commands that are no longer asked go."""
    for old in ANSWERS.glob("*.txt"):
        old.unlink()
    for command, answers in found.items():
        text = "".join(f"{_PROMPT} {line}\n{answer}\n" for line, answer in answers.items())
        (ANSWERS / f"{command}.txt").write_text(text, encoding="utf-8")


def kept() -> dict[str, dict[str, str]]:
    """The answers that are recorded, as `keep` was given them."""
    return {path.stem: dict(_parsed(path.read_text(encoding="utf-8"))) for path in ANSWERS.glob("*.txt")}


def _parsed(text: str) -> Iterator[tuple[str, str]]:
    for part in re.split(rf"^{re.escape(_PROMPT)} ", text, flags=re.MULTILINE)[1:]:
        line, _, answer = part.partition("\n")
        yield line, answer[:-1]


def changes(found: Mapping[str, Mapping[str, str]], before: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """A text for each command line that does not print what it did `before`, with the lines that differ."""
    for command in dict.fromkeys((*before, *found)):
        old, new = before.get(command, {}), found.get(command, {})
        for line in dict.fromkeys((*old, *new)):
            was, now = old.get(line, ""), new.get(line, "")
            if was != now:
                rows = list(difflib.unified_diff(was.splitlines(True), now.splitlines(True), n=0))[2:]
                yield f"{_PROMPT} {line}\n{''.join(row for row in rows if not row.startswith('@@'))}"
