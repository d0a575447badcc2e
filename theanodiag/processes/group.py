"""Runs one command with a time limit and leaves nothing of it behind, nor folders of our own, even if this process is killed.

A helper process, the reaper (`reaper.py`), runs between this one and the command: it adopts and kills all descendants of the command in any
session, even if this process is killed. This process itself adopts nothing, because it may be the user's own program.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

REAPER = Path(__file__).with_name("reaper.py")
TERMINATION = 5.0
"""Seconds between SIGTERM and SIGKILL."""
LAST = 20.0
"""Seconds that the reaper may take to kill the command's remaining processes."""


@dataclass(frozen=True)
class Outcome:
    """How a command that was run ended."""

    returncode: int
    """As in subprocess: negative for a signal."""
    timed_out: bool
    """Whether it was ended because of the time limit."""
    asked_to_stop: bool
    """Whether it was ended because the listener had received enough."""


class Listener(Protocol):
    """An object that reads what the command sends while it runs."""

    def fileno(self) -> int:
        """Returns the descriptor that becomes readable when there is data to read."""

    def read(self) -> bool:
        """Reads the available data; returns False if no more will come."""

    @property
    def enough(self) -> bool:
        """Whether the listener has received enough, so that the command can be ended."""


def run(
    command: Sequence[str],
    env: Mapping[str, str],
    timeout: float | None,
    stdout: int | None = None,
    stderr: int | None = None,
    *,
    inherited: Sequence[int] = (),
    listener: Listener | None = None,
    afterwards: Sequence[str] = (),
) -> Outcome:
    """Runs `command` until it ends, the time limit of `timeout` seconds expires, or the listener has received enough. Then kills all its
    descendants.

    `inherited`: descriptors that the command inherits; `afterwards`: a command that is run after all processes have ended if this process
    is killed meanwhile. Raises OSError if the command cannot be started.
    """
    with _reaper(stdout, stderr, inherited) as reaper:
        request = {"command": list(command), "env": dict(env), "afterwards": list(afterwards)}
        reaper.send(json.dumps(request).encode("ascii") + b"\n")
        deadline = None if timeout is None else time.monotonic() + timeout
        ended = reaper.hear(deadline, listener, lambda: listener is not None and listener.enough)
        enough = not ended and listener is not None and listener.enough
        if not ended:
            reaper.send(b"T")
            ended = reaper.hear(time.monotonic() + TERMINATION, listener)
        if not ended:
            reaper.send(b"K")
            reaper.hear(time.monotonic() + LAST, listener)
        stopped = reaper.stopped
        return Outcome(reaper.code, stopped and not enough, enough)


class _Reaper:
    """The reaper process as seen from this process: orders are written to `control`, its reports are read from `status`."""

    def __init__(self, process: subprocess.Popen[bytes], control: int, status: int) -> None:
        self.process, self.control, self.status = process, control, status
        self.received = b""
        self.stopped = False

    def send(self, data: bytes) -> None:
        """Sends to the reaper: the command line, or an order, `T` (terminate) or `K` (kill)."""
        self.stopped = self.stopped or data in (b"T", b"K")
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(self.control, data) :]

    def hear(self, deadline: float | None, listener: Listener | None, enough: Callable[[], bool] = lambda: False) -> bool:
        """Reads from the reaper and the listener. Returns True when the reaper closes `status`; False if the deadline passes or `enough()`
        becomes true before that.
        """
        with selectors.DefaultSelector() as selector:
            selector.register(self.status, selectors.EVENT_READ)
            if listener is not None:
                selector.register(listener, selectors.EVENT_READ)
            while not enough():
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    return False
                ready = [key.fileobj for key, _ in selector.select(left)]
                if listener in ready and listener is not None and not listener.read():
                    selector.unregister(listener)
                if self.status in ready:
                    part = os.read(self.status, 4096)
                    self.received += part
                    if not part:  # after its last word, or killed
                        return True
        return False

    @property
    def code(self) -> int:
        """Returns the command's return code; -SIGKILL if the reaper was killed before it could report one.

        Raises OSError if the command could not be started.
        """
        words = self.received.decode("ascii").split("\n")
        for word in words:
            if word.startswith("! "):
                raise OSError(word[2:])
        return int(words[1]) if len(words) > 2 and words[1] != "None" else -int(signal.SIGKILL)

    def close(self) -> None:
        """Ends the reaper, and with it all remaining processes of the command."""
        os.close(self.control)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(LAST)
        words = self.received.split()
        if self.process.returncode != 0 and words and words[0].isdigit():  # the reaper itself was ended
            with contextlib.suppress(OSError):
                os.killpg(int(words[0]), signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        os.close(self.status)


@contextlib.contextmanager
def _reaper(stdout: int | None, stderr: int | None, inherited: Sequence[int]) -> Iterator[_Reaper]:
    """Starts the reaper process. It inherits our standard input unless that is a terminal, which only the foreground process group can
    read.
    """
    stdin = subprocess.DEVNULL if _terminal() else None
    (theirs_in, control), (status, theirs_out) = os.pipe(), os.pipe()
    try:
        line = [own_python(), "-I", "-S", str(REAPER), *(str(fd) for fd in (theirs_in, theirs_out, *inherited))]
        keep = (theirs_in, theirs_out, *inherited)
        process = subprocess.Popen(line, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True, pass_fds=keep)
    except BaseException:
        os.close(control)
        os.close(status)
        raise
    finally:
        os.close(theirs_in)
        os.close(theirs_out)
    reaper = _Reaper(process, control, status)
    try:
        yield reaper
    finally:
        reaper.close()


def own_python() -> str:
    """Returns the path of this interpreter; for a program that embeds Python, the path of an interpreter of the same version."""
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    beside = Path(sys.base_prefix, "bin", name)
    if sys.executable and "python" in Path(sys.executable).name.lower():
        return sys.executable
    return str(beside) if beside.exists() else shutil.which(name) or sys.executable


def _terminal() -> bool:
    try:
        return os.isatty(sys.stdin.fileno())
    except (OSError, ValueError, AttributeError):
        return True


FOLDER = os.path.abspath(os.sep)
"""The folder in which query commands run: the root folder."""
CLEAN = "import sys; sys.path[:] = [p for p in sys.path if p]\n"
"""First line of programs that run in the user's interpreter: removes the current folder from `sys.path`. `sys` is built in, so its import
is safe.
"""


def command(python: str, program: str, env: Mapping[str, str]) -> list[str]:
    """Returns the command that runs the program text `program` in the interpreter `python`, a path or a name on PATH."""
    return [located(python, env), "-c", CLEAN + program]


def located(python: str, env: Mapping[str, str]) -> str:
    """Returns the absolute path of an interpreter; `python` unchanged if it is not found."""
    path = shutil.which(python, path=env.get("PATH"))
    return os.path.abspath(path) if path else python


def surroundings(env: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment `env` without the variables that make Python import from the current folder."""
    kept = {k: v for k, v in env.items() if k not in ("PYTHONSTARTUP", "PYTHONINSPECT")}
    if "PYTHONPATH" in kept:
        kept["PYTHONPATH"] = os.pathsep.join(p for p in kept["PYTHONPATH"].split(os.pathsep) if os.path.isabs(p))
    return kept


SHELL = "/bin/sh"
WAIT = 'IFS= read -r it && [ -n "$it" ] && { read -r end ||'
"""Shell code: reads the first line into `$it`; runs the commands that follow if the second line never comes."""
END = 'kill -s KILL -- "-$it"'
"""Shell command that kills the process group `$it`."""
REMOVE = 'for again in 1 2 3 4 5; do rm -rf -- "$it"; [ -e "$it" ] || break; sleep 1; done'
"""Shell command that removes the folder `$it`; it is repeated, since a process that is being killed may still write there."""


@contextlib.contextmanager
def temporary(within: Path | None = None) -> Iterator[Path]:
    """Context manager that yields an empty folder in `within` (default: the system's folder for temporary files). It is removed at the end
    of the block, also if this process is killed.
    """
    with unless_finished(REMOVE) as announce, tempfile.TemporaryDirectory(prefix="theanodiag-", dir=within) as name:
        announce(name)
        yield Path(name)


def tied() -> AbstractContextManager[Callable[[object], None]]:
    """Context manager that yields a function to which the id of a process group is passed; the group is killed if this process ends within
    the block.
    """
    return unless_finished(END)


def query(command: Sequence[str], env: Mapping[str, str], seconds: float) -> subprocess.CompletedProcess[bytes]:
    """Runs a short query command, without input and outside the user's folders. Returns its exit status and output.

    Its process group is killed when it ends, and also if this process is killed. Raises OSError if it cannot be started, or takes more than
    `seconds`.
    """
    pipe = subprocess.PIPE
    with tied() as tie:
        process = subprocess.Popen(
            command, env=dict(env), cwd=FOLDER, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, start_new_session=True
        )
        try:
            tie(process.pid)
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise TimeoutError(errno.ETIMEDOUT, f"no answer within {seconds:g} s") from None
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
    return subprocess.CompletedProcess(command, process.returncode, out, err)


@contextlib.contextmanager
def unless_finished(commands: str) -> Iterator[Callable[[object], None]]:
    """Context manager: a shell runs `commands` if this process ends within the block. Yields a function, whose argument becomes the shell
    variable `$it`.

    If this machine has no shell, nothing is run.
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
