"""The runner's end of the pipe through which the hook sends its events, and the check that the events are the hook's own.

Each line carries a seal (HMAC-SHA256 over process id, line number and line) with a key that the hook gets in an unlinked file. A script
that writes into the pipe, or ends its process by `os._exit`, is therefore noticed; one that searches the hook's own objects for the key is
not (SECURITY.md).
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import struct
import sys
from dataclasses import dataclass, field

HEAD = struct.Struct(">IHB")
PART, LINE, MARK = 0, 1, 2
"""Kinds of pieces: more of the line follows, end of a line, end of a line that asks for the end of the script.

`HEAD` (process id, bytes, kind) precedes each piece. Both as in `hook/stream.py`.
"""
SEAL = 32
"""Length of a seal in bytes (SHA-256)."""
MOST_BYTES = 256 << 20
"""The most bytes that are kept of one script; the events of a graph of a thousand layers take a tenth of it."""
MOST_READ = 1 << 20
"""The most bytes that one read takes from the pipe."""


@dataclass
class ProcessStream:
    """The lines that one process of the script has sent, and the pieces of the line that is not complete yet."""

    lines: list[bytes] = field(default_factory=list)
    pieces: bytearray = field(default_factory=bytearray)


class Channel:
    """The pipe from the hook to the runner, which all processes of one script share, and the verified lines of each process."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._key = os.urandom(32).hex()
        self._most_bytes = most_bytes
        self._rest = bytearray()
        self._told: dict[int, ProcessStream] = {}
        self._kept = 0
        self._open = True
        self.enough = False
        """Whether a forked child has asked the runner to end the script, since it saw enough calls."""
        self.doubt: str | None = None
        """Why the events cannot be trusted, such as a line with a wrong seal; None while they can."""

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, *failure: object) -> None:
        os.close(self._reader)
        os.close(self.writer)

    @property
    def options(self) -> dict[str, object]:
        """The hook's option `stream`: descriptor of the pipe, key of the seals, and the path by which the pipe can be opened again (Linux
        only).
        """
        again = f"/proc/{os.getpid()}/fd/{self.writer}" if sys.platform.startswith("linux") else None
        return {"fd": self.writer, "key": self._key, "again": again}

    def fileno(self) -> int:
        """The descriptor to wait on: it is readable when the hook has sent something."""
        return self._reader

    def read(self) -> bool:
        """Reads and verifies what is in the pipe, without blocking.

        Always True: the pipe stays open, because this process holds a writing end too.
        """
        with contextlib.suppress(BlockingIOError):
            self._take(os.read(self._reader, MOST_READ))
        return True

    def finish(self) -> None:
        """Reads the rest of the pipe after all processes of the script have ended, up to the limit of bytes."""
        left = self._most_bytes
        with contextlib.suppress(BlockingIOError):
            while left > 0:
                part = os.read(self._reader, MOST_READ)
                left -= len(part)
                self._take(part)

    def _take(self, data: bytes) -> None:
        self._kept += len(data)
        if self._kept > self._most_bytes:
            self.doubt = self.doubt or f"more than {self._most_bytes} bytes were told"
        if self.doubt is not None:
            return
        self._rest += data
        start = 0
        while self.doubt is None and len(self._rest) - start >= HEAD.size:
            pid, size, kind = HEAD.unpack_from(self._rest, start)
            end = start + HEAD.size + size
            if kind not in (PART, LINE, MARK):
                self.doubt = "something else wrote into the stream of events"
                break
            if end > len(self._rest):
                break
            self._piece(pid, bytes(self._rest[start + HEAD.size : end]), kind)
            start = end
        del self._rest[:start]

    def _piece(self, pid: int, piece: bytes, kind: int) -> None:
        told = self._told.setdefault(pid, ProcessStream())
        told.pieces += piece
        if kind == PART:
            return
        line, seal = bytes(told.pieces[:-SEAL]), bytes(told.pieces[-SEAL:])
        told.pieces.clear()
        number = struct.pack(">IQ", pid, len(told.lines))
        if not hmac.compare_digest(hmac.new(self._key.encode("ascii"), number + line, hashlib.sha256).digest(), seal):
            self.doubt = self.doubt or "something else wrote into the stream of events"
            return
        self.enough = self.enough or kind == MARK
        told.lines.append(line)

    def streams(self) -> list[bytes]:
        """The verified lines of each process, joined: the first process first, then the forked children by process id.

        A child's stream begins with the lines that its parent had sent before the fork.
        """
        first = next(iter(self._told), None)
        pids = [pid for pid in self._told if pid != first]
        return [b"".join(self._lines(pid)) for pid in ([] if first is None else [first, *sorted(pids)])]

    def _lines(self, pid: int) -> list[bytes]:
        """The lines of process `pid`, preceded by those that its ancestors had sent before each fork."""
        found: list[bytes] = []
        most: int | None = None
        seen: set[int] = set()
        while pid in self._told and pid not in seen:
            own = self._told[pid].lines
            found = [*own[:most], *found]
            seen.add(pid)
            first = json.loads(own[0]) if own else {}
            if first.get("event") != "fork":
                break
            pid, most = first["parent"], first["after"]
        return found
