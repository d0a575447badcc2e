"""Appends events to the stream: one JSON line each, opened and closed every time.

A script may close all descriptors, change directory, fork or be killed at any moment; what was written before stays readable.
A forked child continues in a file of its own, `<stream>.<pid>`, that begins with what its parent had written.
"""

import json
import os
import sys
import threading


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
    """The file of events of this process."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.pid = os.getpid()
        self.size = 0
        self.closed = False
        self.lock = threading.RLock()

    @property
    def forked(self) -> bool:
        """Whether this process is a child that the script forked."""
        return os.getpid() != self.pid or self.path.endswith(".%d" % self.pid)

    def emit(self, event: str, **fields: object) -> None:
        """Appends an event; nothing is written after the end, nor once a disk is full: the script goes on."""
        try:
            if os.getpid() != self.pid:
                self._adopt()
            with self.lock:
                if not self.closed:
                    self._append(encode(dict(fields, event=event)))
        except EnvironmentError:
            self.closed = True

    def _append(self, line: bytes) -> None:
        fd = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            while line:
                written = os.write(fd, line)
                line, self.size = line[written:], self.size + written
        finally:
            os.close(fd)

    def _adopt(self) -> None:
        """In a forked child: a file of its own that begins like the parent's at the time of the fork."""
        with open(self.path, "rb") as parent:
            prefix = parent.read(self.size)
        self.lock, self.pid, self.size = threading.RLock(), os.getpid(), 0
        self.path = "%s.%d" % (self.path, self.pid)
        self._append(prefix + encode({"event": "fork", "pid": self.pid}))

    def mark(self, name: str) -> None:
        """Leaves a note for the runner beside the stream of the first process."""
        stem = self.path[: -len(".%d" % self.pid)] if self.forked else self.path
        os.close(os.open("%s-%s" % (stem, name), os.O_WRONLY | os.O_CREAT, 0o600))
