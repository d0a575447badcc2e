"""Cleans up after this process even if it is killed: ends what it started, removes its temporary folders.

A shell, started beforehand, reads two lines from this process: what to end or remove, and that this was done. End of file in place of the
second line means that this process is gone.
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
"""Shell code: reads the first line into `$it`; runs the commands that follow if the second line never comes."""
END = 'kill -s KILL -- "-$it"'
"""Shell command that kills the process group `$it`."""
REMOVE = 'for again in 1 2 3 4 5; do rm -rf -- "$it"; [ -e "$it" ] || break; sleep 1; done'
"""Shell command that removes the folder `$it`; it is repeated, since a process that is being killed may still write there."""


@contextlib.contextmanager
def temporary() -> Iterator[Path]:
    """Context manager: an empty folder, removed at the end of the block or of this process."""
    with unless_finished(REMOVE) as told, tempfile.TemporaryDirectory(prefix="theanodiag-") as name:
        told(name)
        yield Path(name)


def tied() -> AbstractContextManager[Callable[[object], None]]:
    """Context manager: yields a function that takes the id of a process group, which is killed if this process ends within the block."""
    return unless_finished(END)


@contextlib.contextmanager
def unless_finished(commands: str) -> Iterator[Callable[[object], None]]:
    """Context manager: a shell runs `commands` if this process ends within the block. It yields a function whose argument becomes `$it`.

    Without a shell on this machine nothing is run.
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
