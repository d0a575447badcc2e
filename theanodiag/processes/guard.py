"""Cleans up behind this process should it be killed: nothing that it started keeps running, and no temporary folder stays.

A shell waits for two lines from this process: what there is to end or remove, and that all is done. The end of the file in place of
the second means that this process is gone, whatever ended it. The shell is there before what it will have to clean up.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

SHELL = "/bin/sh"
WAIT = 'IFS= read -r it && [ -n "$it" ] && { read -r end ||'
END = 'kill -s KILL -- "-$it"'
REMOVE = 'for again in 1 2 3 4 5; do rm -rf -- "$it"; [ -e "$it" ] || break; sleep 1; done'
"""A process that is just being ended may still write there."""


@contextlib.contextmanager
def temporary() -> Iterator[Path]:
    """An empty folder, which goes away with the block, or with this process."""
    with unless_finished(REMOVE) as told, tempfile.TemporaryDirectory(prefix="theanodiag-") as name:
        told(name)
        yield Path(name)


def tied() -> AbstractContextManager[Callable[[object], None]]:
    """Gives a function that takes the number of a process group: it ends with this process, if that ends within the block."""
    return unless_finished(END)


@contextlib.contextmanager
def unless_finished(commands: str) -> Iterator[Callable[[object], None]]:
    """Has a shell run `commands`, with what the given function was told as $it, where this process ends before the block does.

    Without a shell nobody does.
    """
    nowhere = subprocess.DEVNULL
    line = [SHELL, "-c", f"{WAIT} {{ {commands}; }}; }}"]
    try:
        shell = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, start_new_session=True)
    except OSError:
        yield lambda it: None
        return
    try:
        yield lambda it: _tell(shell, it)
    finally:
        with contextlib.suppress(OSError):  # it may have been ended
            shell.communicate(b"\n")


def _tell(shell: subprocess.Popen[bytes], it: object) -> None:
    assert shell.stdin is not None
    with contextlib.suppress(OSError):
        shell.stdin.write(os.fsencode(f"{it}\n"))
        shell.stdin.flush()
