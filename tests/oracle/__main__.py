"""python -m tests.oracle [--accept | --every N]: prints which command lines (one of N) do not print what they did; --accept keeps what they
print now.
"""

from __future__ import annotations

import argparse
import os
import sys

from tests import surroundings

from .compare import changes, keep, kept


def main(words: list[str]) -> int:
    """Compares or accepts; 1 if anything is not as it was."""
    from .replay import answers

    parser = argparse.ArgumentParser(prog="python -m tests.oracle")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    args = parser.parse_args(words)
    if args.accept:
        keep(answers())
        return 0
    found, before = answers(args.every), kept()
    if args.every > 1:  # those of the others are not asked for
        before = {command: {line: before.get(command, {}).get(line, "") for line in lines} for command, lines in found.items()}
    listed = list(changes(found, before))
    print("".join(listed), end="")
    print(f"{sum(map(len, found.values()))} command lines, {len(listed)} do not print what they did")
    return int(bool(listed))


if __name__ == "__main__":
    surroundings.enter(os.environ, "theanodiag-home/oracle")
    sys.exit(main(sys.argv[1:]))
