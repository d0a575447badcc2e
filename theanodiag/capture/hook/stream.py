"""Sends events to the runner: one JSON line each, through a pipe, sealed.

A script may close all descriptors, change directory, fork or be killed at any moment; what was sent before is not lost, and cannot be
taken back. Forked children share the pipe; the runner tells the processes apart.
"""

import errno
import fcntl
import hashlib
import hmac
import json
import os
import select
import struct
import sys
import threading

from .builtin_names import own_builtins


def plain(value: object) -> object:
    """A JSON value for what JSON does not know: numpy scalars, bytes, anything printable."""
    item = getattr(value, "item", None)
    if item is not None and getattr(value, "ndim", 1) == 0:
        return item()
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    if isinstance(value, bytes):
        return clean(value)
    try:
        return repr(value)
    except Exception:
        return "<%s>" % type(value).__name__


def clean(value: object) -> object:
    """The same with every byte string decoded, whatever its encoding (CPython 2.7 mixes the two)."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, dict):
        return dict((clean(k), clean(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return [clean(v) for v in value]
    return value


def encode(event: "dict[str, object]") -> bytes:
    """One line of the stream."""
    if sys.version_info[0] == 2:
        event = clean(event)  # type: ignore[assignment]
    return json.dumps(event, default=plain).encode("ascii") + b"\n"


class Stream(object):
    """The pipe to the runner, which all processes of the script share: each line goes in pieces that the system never mixes."""

    def __init__(self, fd: int, key: str = "", again: "str | None" = None) -> None:
        self.fd = out_of_the_way(fd)
        self.key = key.encode("ascii")
        self.again = again  # where the pipe can be opened once more, should the script close what it did not open
        self.identity = identity(self.fd)
        self.pid = os.getpid()
        self.child = False
        self.lines = 0
        self.closed = False
        self.lock = threading.RLock()

    @property
    def forked(self) -> bool:
        """Whether this process is a child that the script forked."""
        return self.child or os.getpid() != self.pid

    def emit(self, event: str, **fields: object) -> None:
        """Sends an event; nothing is sent after the end, nor once nobody listens: the script goes on."""
        self._send(dict(fields, event=event), LINE)

    def mark(self, name: str) -> None:
        """Tells the runner something while the script runs."""
        self._send({"event": name}, MARK)

    def _send(self, event: "dict[str, object]", kind: int) -> None:
        with own_builtins():
            try:
                if os.getpid() != self.pid:
                    self._adopt()
                with self.lock:
                    if not self.closed:
                        self._line(encode(event), kind)
            except EnvironmentError:
                self.closed = True

    def _line(self, line: bytes, kind: int) -> None:
        """One line and its seal, which only this process and the runner can make, piece by piece."""
        number = struct.pack(">IQ", self.pid, self.lines)
        data = line + hmac.new(self.key, number + line, hashlib.sha256).digest()
        for start in range(0, len(data), PIECE):
            piece = data[start : start + PIECE]
            last = start + PIECE >= len(data)
            self._write(HEAD.pack(self.pid, len(piece), kind if last else PART) + piece)
        self.lines += 1

    def _write(self, data: bytes) -> None:
        if identity(self.fd) != self.identity:  # closed, or another file by now
            if self.again is None:
                raise EnvironmentError(errno.EBADF, "the stream was closed")
            self.fd = out_of_the_way(os.open(self.again, os.O_WRONLY))
        while True:
            try:
                os.write(self.fd, data)
                return
            except EnvironmentError as error:
                if error.errno != errno.EINTR:  # CPython 2.7
                    raise

    def _adopt(self) -> None:
        """In a forked child: its lines follow on those that its parent had sent at the time of the fork."""
        parent, after = self.pid, self.lines
        self.lock, self.pid, self.lines, self.child = threading.RLock(), os.getpid(), 0, True
        self._line(encode({"event": "fork", "pid": self.pid, "parent": parent, "after": after}), LINE)


HEAD = struct.Struct(">IHB")
"""Before each piece: process, bytes, kind."""
PART, LINE, MARK = 0, 1, 2
"""Kinds of pieces: more follows, the end of a line, the end of a word to the runner."""
PIECE = min(getattr(select, "PIPE_BUF", 512), 4096) - HEAD.size
"""The system writes so much at once, or nothing (POSIX, PIPE_BUF)."""
HIGH = 200
"""Scripts that close descriptors close the low ones."""


def out_of_the_way(fd: int) -> int:
    """The same pipe under a higher number, which programs that are started do not get."""
    try:
        high = fcntl.fcntl(fd, fcntl.F_DUPFD, HIGH)
    except (EnvironmentError, ValueError):  # so many may not be open
        high = os.dup(fd)
    fcntl.fcntl(high, fcntl.F_SETFD, fcntl.fcntl(high, fcntl.F_GETFD) | fcntl.FD_CLOEXEC)
    os.close(fd)
    return high


def identity(fd: int) -> "tuple[int, int] | None":
    """Which file a descriptor is; None where it is closed."""
    try:
        found = os.fstat(fd)
    except EnvironmentError:
        return None
    return found.st_dev, found.st_ino
