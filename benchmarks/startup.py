"""How long `theanodiag --help` takes, beside the bare interpreter and `pip --version`."""

from __future__ import annotations

import sys

from ._timing import best, command


def main() -> None:
    """Prints milliseconds and ratios."""
    bare = best(command(sys.executable, "-c", "pass"), 9)
    ours = best(command(sys.executable, "-m", "theanodiag", "--help"), 9)
    print(f"   theanodiag --help: {1000 * ours:.0f} ms, {ours / bare:.1f} x a bare interpreter ({1000 * bare:.0f} ms); the mark is 150 ms")
