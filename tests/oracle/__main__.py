"""python -m tests.oracle [--accept]: prints which command lines do not print what they did; --accept keeps what they print now."""

from __future__ import annotations

import os
import sys

from tests import surroundings

from .compare import changes, keep, kept


def main(arguments: list[str]) -> int:
    """Compares or accepts; 1 if anything is not as it was."""
    from .replay import answers

    found = answers()
    if arguments == ["--accept"]:
        keep(found)
        return 0
    listed = list(changes(found, kept()))
    print("".join(listed), end="")
    print(f"{sum(map(len, found.values()))} command lines, {len(listed)} do not print what they did")
    return int(bool(listed))


if __name__ == "__main__":
    surroundings.enter(os.environ, "theanodiag-home/oracle")
    sys.exit(main(sys.argv[1:]))
