"""Messages of the layers on stderr, each printed once."""

import sys
from typing import Set

_said: Set[str] = set()


def note(line: str) -> None:
    """Prints a line to stderr, unless it was already printed."""
    if line not in _said:
        _said.add(line)
        sys.stderr.write("theanodiag: {}\n".format(line))
