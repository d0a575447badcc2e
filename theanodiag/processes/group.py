"""Runs one command in a process group of its own, for a limited time, and leaves nothing of it behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .guard import tied

POLL = 0.02
"""Seconds between two looks; doubles up to ten times that."""
TERMINATION = 5.0
"""Seconds from asking a script to end to ending it."""


@dataclass(frozen=True)
class Outcome:
    """How a process went."""

    returncode: int
    """As in subprocess: negative for a signal."""
    timed_out: bool
    asked_to_stop: bool
    """Whether `stop_file` appeared: a forked child saw enough."""


def run(
    command: Sequence[str], env: Mapping[str, str], timeout: float | None, stop_file: Path, stdout: int | None, stderr: int | None = None
) -> Outcome:
    """Runs `command` to its end, to `timeout` seconds, or until `stop_file` exists; then ends its whole process group."""
    stdin = subprocess.DEVNULL if _terminal() else None  # a terminal cannot be read from outside of the foreground group
    with tied() as tie:
        process = subprocess.Popen(list(command), env=dict(env), stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True)
        try:
            tie(process.pid)
            finished = _wait(process, timeout, stop_file)
            asked = not finished and stop_file.exists()
            if not finished:
                _terminate(process)
            return Outcome(process.wait(), not finished and not asked, asked)
        finally:
            _signal(process.pid, signal.SIGKILL)
            process.wait()


def _terminal() -> bool:
    try:
        return os.isatty(sys.stdin.fileno())
    except (OSError, ValueError, AttributeError):
        return True


def _wait(process: subprocess.Popen[bytes], timeout: float | None, stop_file: Path) -> bool:
    """Whether the process ended by itself."""
    deadline = None if timeout is None else time.monotonic() + timeout
    pause = POLL
    while deadline is None or time.monotonic() < deadline:
        left = pause if deadline is None else min(pause, max(0.0, deadline - time.monotonic()))
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(left)
            return True
        if stop_file.exists():
            return False
        pause = min(pause * 1.5, POLL * 10)
    return process.poll() is not None


def _terminate(process: subprocess.Popen[bytes]) -> None:
    """Asks the group to end and, after a while, ends it."""
    _signal(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(TERMINATION)
    _signal(process.pid, signal.SIGKILL)


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
