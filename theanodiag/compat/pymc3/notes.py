"""What the layer says on stderr, each line once."""

import sys
from typing import Set

_said: Set[str] = set()


def note(line: str) -> None:
    """Prints a line, unless it was printed before."""
    if line not in _said:
        _said.add(line)
        sys.stderr.write("theanodiag: {}\n".format(line))
