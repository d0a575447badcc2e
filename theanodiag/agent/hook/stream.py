"""Sends events to the runner through a pipe: one authenticated JSON line for each event.

A script may close all descriptors, change directory, fork or be killed at any moment; events sent before are not lost. Forked children
share the pipe; the runner distinguishes processes by their ids.
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
    """Converts objects that JSON does not support: numpy scalars to numbers, sets and tuples to lists, bytes to text,
    others to their repr."""
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
    """Decodes every byte string inside `value` as UTF-8 with replacement characters; CPython 2.7 mixes bytes and text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, dict):
        return dict((clean(k), clean(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return [clean(v) for v in value]
    return value


def encode(event: "dict[str, object]") -> bytes:
    """Returns an event as one line of JSON, in bytes."""
    if sys.version_info[0] == 2:
        event = clean(event)  # type: ignore[assignment]
    return json.dumps(event, default=plain).encode("ascii") + b"\n"


class Stream(object):
    """The writing end of the pipe to the runner. Lines are split into pieces of at most PIPE_BUF bytes, which the
    system never interleaves."""

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
        """Sends an event. If the stream is closed or the runner has ended, it sends nothing, and the script continues."""
        self._send(dict(fields, event=event), LINE)

    def mark(self, name: str) -> None:
        """Sends an event with which a child asks the runner to end the script."""
        self._send({"event": name}, MARK)

    def step(self, **fields: object) -> None:
        """Sends an event that says what the script does from now on, which the runner reads at once."""
        self._send(dict(fields, event="step"), STEP)

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
        """Sends one line with its authentication code, piece by piece; only this process and the runner have the key."""
        number = struct.pack(">IQ", self.pid, self.lines)
        data = line + hmac.new(self.key, number + line, hashlib.sha256).digest()
        for start in range(0, len(data), PIECE):
            piece = data[start : start + PIECE]
            last = start + PIECE >= len(data)
            self._write(HEAD.pack(self.pid, len(piece), kind if last else PART) + piece)
        self.lines += 1

    def _write(self, data: bytes) -> None:
        if identity(self.fd) != self.identity:  # closed, or replaced by another file
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
        """In a child after a fork: announces its process id and how many lines its parent had sent before."""
        parent, after = self.pid, self.lines
        self.lock, self.pid, self.lines, self.child = threading.RLock(), os.getpid(), 0, True
        self._line(encode({"event": "fork", "pid": self.pid, "parent": parent, "after": after}), LINE)


HEAD = struct.Struct(">IHB")
"""Format of the header of each piece: process id, number of bytes, kind."""
PART, LINE, MARK, STEP = 0, 1, 2, 3
"""Kinds of pieces: more of the line follows, end of a line, end of a line that asks for the end of the script, end of a step's line."""
PIECE = min(getattr(select, "PIPE_BUF", 512), 4096) - HEAD.size
"""Maximum number of bytes of a piece: writes up to PIPE_BUF are atomic (POSIX)."""
HIGH = 200
"""The lowest descriptor for the pipe: scripts that close descriptors close the low ones."""


def out_of_the_way(fd: int) -> int:
    """Moves the pipe to a descriptor of at least `HIGH` that child programs do not inherit. Returns it."""
    try:
        high = fcntl.fcntl(fd, fcntl.F_DUPFD, HIGH)
    except (EnvironmentError, ValueError):  # the limit of open files may be lower
        high = os.dup(fd)
    fcntl.fcntl(high, fcntl.F_SETFD, fcntl.fcntl(high, fcntl.F_GETFD) | fcntl.FD_CLOEXEC)
    os.close(fd)
    return high


def identity(fd: int) -> "tuple[int, int] | None":
    """Returns (device, inode) of an open descriptor; None if it is closed."""
    try:
        status = os.fstat(fd)
    except EnvironmentError:
        return None
    return status.st_dev, status.st_ino
