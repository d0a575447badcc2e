"""The differences planted in `scripts/`: a comment `#: name: form` is what the line becomes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

SCRIPTS = Path(__file__).parent / "scripts"
MARK = re.compile(r"^(\s*)(.*?)  #: ([^:]+): (.*)$")


@dataclass(frozen=True)
class Planted:
    """One difference."""

    script: str
    line: int
    """1-based."""
    name: str
    source: str
    """The whole script with it."""


def planted() -> list[Planted]:
    """All of them."""
    found = []
    for path in sorted(SCRIPTS.glob("*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            mark = MARK.match(line)
            if mark is not None:
                changed = [*lines[:number], mark.group(1) + mark.group(4), *lines[number + 1 :]]
                found.append(Planted(path.stem, number + 1, mark.group(3), "\n".join(changed) + "\n"))
    return found
