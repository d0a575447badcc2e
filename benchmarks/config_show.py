"""`theanodiag config show`, beside `git config --list --show-origin`."""

from __future__ import annotations

import shutil
import sys

from ._timing import best, command


def main() -> None:
    """Prints milliseconds and the ratio; the mark is 200 ms."""
    ours = best(command(sys.executable, "-m", "theanodiag", "config", "show", ok=(0, 1)), 9)
    if shutil.which("git") is None:
        print(f"   config show: {1000 * ours:.0f} ms; no git to compare with")
        return
    git = best(command("git", "config", "--list", "--show-origin"), 9)
    beside = f"{ours / git:.0f} x git config --list --show-origin ({1000 * git:.0f} ms)"
    print(f"   config show: {1000 * ours:.0f} ms, {beside}; the mark is 200 ms")
