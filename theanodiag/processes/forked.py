"""Processes an untrusted file in a separate process, which always ends: by a signal, a time limit or a memory limit."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import NoReturn

from ..errors import TheanodiagError, UnreadableError, UsageError

PATIENCE = 0.4
"""Seconds that the separate process has after SIGTERM, to remove unfinished files."""
_PARENT_DEATH = 1
"""PR_SET_PDEATHSIG of <linux/prctl.h>."""


def forked(work: Callable[[], int], seconds: int, memory: int, path: str) -> int:
    """Runs `work` in a separate process. Returns its result, or raises the `TheanodiagError` that it raised.

    The process may use `seconds` of processor time, three times as many seconds of wall time, and `memory` bytes of address space more than
    this process has. Raises UnreadableError about `path` if it needs more or crashes. If this process is terminated, the other process ends
    first.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
    ours, theirs = os.pipe()
    try:
        pid = os.fork()
    except OSError as error:
        os.close(ours)
        os.close(theirs)
        raise UnreadableError(f"no process can be started to read it: {error.strerror}", path=path, help="end others first") from None
    if pid == 0:
        os.close(ours)
        _inside(work, theirs, seconds, memory)
    os.close(theirs)
    with _ended_with_us(pid) as status_of:
        data = _all_of(ours, time.monotonic() + 3 * seconds)
        status = status_of(data is not None)
    if data is None or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
        raise UnreadableError(f"reading it took more than {seconds} seconds of processor time", path=path, help="name a saved model")
    return _outcome(data, status, path)


def _all_of(descriptor: int, deadline: float) -> bytes | None:
    """All bytes that the process writes until it ends; None if the deadline passes first."""
    import select

    data = b""
    with os.fdopen(descriptor, "rb", buffering=0) as pipe:
        while (left := deadline - time.monotonic()) > 0:
            if select.select([pipe], [], [], left)[0]:
                part = pipe.read(1 << 16)
                if not part:
                    return data
                data += part
    return None


@contextlib.contextmanager
def _ended_with_us(pid: int) -> Iterator[Callable[[bool], int]]:
    """Context manager: a function that waits for the process and returns its status (`ends=False` kills it first). At the end of the block
    the process is ended if it still runs.
    """
    gone: list[int] = []

    def status_of(ends: bool) -> int:
        if not ends:
            os.kill(pid, signal.SIGKILL)
        gone.append(os.waitpid(pid, 0)[1])
        return gone[0]

    try:
        yield status_of
    finally:
        if not gone:
            os.kill(pid, signal.SIGTERM)
            deadline = time.monotonic() + PATIENCE
            while not os.waitpid(pid, os.WNOHANG)[0]:
                if time.monotonic() > deadline:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                    break
                time.sleep(0.01)


def _outcome(data: bytes, status: int, path: str) -> int:
    """The exit code that the child process returned; raises the error that it reported."""
    try:
        answer = json.loads(data)
    except ValueError:
        end = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit code {os.WEXITSTATUS(status)}"
        raise UnreadableError(f"the process that read it ended ({end})", path=path, help="name a saved model") from None
    if "code" in answer:
        return int(answer["code"])
    if answer["kind"] == "bug":
        raise RuntimeError(answer["message"])
    kind = {"usage": UsageError, "unreadable": UnreadableError}[answer["kind"]]
    raise kind(answer["message"], path=answer["path"], help=answer["help"])


def _inside(work: Callable[[], int], pipe: int, seconds: int, memory: int) -> NoReturn:
    """Runs `work` in the child process, sends its result or error through `pipe`, and ends the process."""
    answer: dict[str, object]
    code = 1
    try:
        signal.signal(signal.SIGINT, lambda number, frame: sys.exit(128 + number))
        _limited(seconds, memory)
        answer = {"code": work()}
    except TheanodiagError as error:
        kind = "usage" if isinstance(error, UsageError) else "unreadable"
        answer = {"kind": kind, "message": error.message, "path": error.path, "help": error.help}
    except MemoryError:
        answer = {"kind": "unreadable", "message": "it needs more memory than this process may use", "path": None, "help": "give it more"}
    except SystemExit:
        os._exit(code)
    except BaseException as error:
        if os.environ.get("THEANODIAG_DEBUG"):
            sys.excepthook(type(error), error, error.__traceback__)
        answer = {"kind": "bug", "message": f"{type(error).__name__}: {error}"}
    with contextlib.suppress(BaseException):
        data = json.dumps(answer).encode("ascii")
        while data:
            data = data[os.write(pipe, data) :]
        code = 0
    os._exit(code)


def _limited(seconds: int, memory: int) -> None:
    """Limits the time and memory of this process, and lets it end with its parent (Linux)."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
        _lower(resource.RLIMIT_AS, _address_space() + memory)
    _lower(resource.RLIMIT_CPU, seconds)
    _lower(resource.RLIMIT_CORE, 0)


def _address_space() -> int:
    """Bytes of address space that this process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _lower(which: int, limit: int) -> None:
    """Lowers a resource limit of this process to `limit`; a limit that is lower already stays."""
    soft, hard = resource.getrlimit(which)
    allowed = [n for n in (soft, hard, limit) if n != resource.RLIM_INFINITY]
    resource.setrlimit(which, (min(allowed), hard))
