"""The pipe through which the hook tells its events, and what came through it.

Each line has a seal (HMAC-SHA256 over process, number and line) with a key that the hook gets in a file without a name. So a script that
writes into the pipe, or leaves through its back door, is noticed; one that searches the hook's own objects is not (SECURITY.md).
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
"""As in `inside/stream.py`."""
SEAL = 32
"""Bytes of a seal."""
MOST_BYTES = 256 << 20
"""More is not kept: the graphs of a thousand layers take a tenth of it."""
MOST_READ = 1 << 20
"""At once."""


@dataclass
class ProcessStream:
    """What one process of the script sent."""

    lines: list[bytes] = field(default_factory=list)
    pieces: bytearray = field(default_factory=bytearray)


class Channel:
    """A pipe, and what the processes of one script sent through it."""

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
        """Whether a child asked for the end of the script."""
        self.doubt: str | None = None
        """Why not all that came can be believed."""

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, *failure: object) -> None:
        os.close(self._reader)
        os.close(self.writer)

    @property
    def options(self) -> dict[str, object]:
        """What the hook needs to send."""
        again = f"/proc/{os.getpid()}/fd/{self.writer}" if sys.platform.startswith("linux") else None
        return {"fd": self.writer, "key": self._key, "again": again}

    def fileno(self) -> int:
        """Readable when something was sent."""
        return self._reader

    def read(self) -> bool:
        """Takes what is there; always open, since this process could write too."""
        with contextlib.suppress(BlockingIOError):
            self._take(os.read(self._reader, MOST_READ))
        return True

    def finish(self) -> None:
        """Takes the rest, once the script and all its processes are gone; more than is kept is not waited for."""
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
        """The streams of all processes, the first one first; a forked child's begins with what its parent had told when it was forked."""
        first = next(iter(self._told), None)
        pids = [pid for pid in self._told if pid != first]
        return [b"".join(self._lines(pid)) for pid in ([] if first is None else [first, *sorted(pids)])]

    def _lines(self, pid: int) -> list[bytes]:
        """What a process told, behind what its parents had told before they forked it."""
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
