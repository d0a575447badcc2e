"""Results of a scan, kept from run to run: a file to which lines are appended, so that a scan that was killed goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from ..errors import UnreadableError
from ..version import VERSION

NAME = "scan.jsonl"
_ELSEWHERE = "use --cache DIR or --no-cache"
_NOTE = "# made by theanodiag scan; may be removed at any time\n*\n"


def key(*parts: str | bytes) -> str:
    """A name for what was looked at, of all that decides the result; our own version is one of these."""
    digest = hashlib.sha256(VERSION.encode())
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


def line(name: str, value: Any) -> bytes:
    """A result as it stands in a store."""
    return b'{"key": "%s", "value": %s}\n' % (name.encode("ascii"), json.dumps(value).encode("utf-8"))


class Store:
    """Results by key, in `folder`/scan.jsonl. Lines that are damaged, as by a crash in the middle of one, are passed over."""

    def __init__(self, folder: str) -> None:
        self.path = Path(folder, NAME)
        self._places: dict[str, tuple[int, int]] = {}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            ignore = self.path.parent / ".gitignore"
            if not ignore.exists():
                ignore.write_text(_NOTE, encoding="utf-8")
            self._file: IO[bytes] = self.path.open("a+b")
        except OSError as error:
            raise UnreadableError(f"cannot be written: {error.strerror}", path=str(self.path), help=_ELSEWHERE) from None
        self._index()

    def _index(self) -> None:
        self._file.seek(0)
        at = 0
        for line in self._file:
            if line.endswith(b"\n") and line[:9] == b'{"key": "' and line[73:74] == b'"':
                self._places[line[9:73].decode("ascii", "replace")] = (at, len(line))
            at += len(line)
        self._torn = at > 0 and not self._ends_whole(at)

    def _ends_whole(self, size: int) -> bool:
        self._file.seek(size - 1)
        return self._file.read(1) == b"\n"

    def get(self, name: str) -> Any:
        """The value kept under a key; None where there is none, or its line is damaged."""
        place = self._places.get(name)
        if place is None:
            return None
        self._file.seek(place[0])
        try:
            return json.loads(self._file.read(place[1]))["value"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return None

    def put(self, name: str, value: Any) -> None:
        """Keeps a value (JSON), whole before this returns unless the machine itself goes down."""
        try:
            self._file.write(b"\n" * self._torn + line(name, value))
            self._file.flush()
        except OSError as error:
            raise UnreadableError(f"cannot be written: {error.strerror}", path=str(self.path), help=_ELSEWHERE) from None
        self._torn = False

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()


def clear(folder: str) -> bool:
    """Removes the store of a folder; whether there was one."""
    try:
        os.unlink(Path(folder, NAME))
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UnreadableError(f"cannot be removed: {error.strerror}", path=str(Path(folder, NAME)), help="remove it by hand") from None
    return True
