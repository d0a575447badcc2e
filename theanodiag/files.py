"""Reads files that a user names: regular files only, and only up to a size limit, so that no path can exhaust memory or time.

A pipe may have no writer and `/dev/zero` has no end: both are recognised before and after opening.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from .errors import UnreadableError, UsageError

CONFIGURATION = 1 << 20
"""Size limit in bytes for a configuration file; the largest public rc file found has 9 kB."""
TEXT = 32 << 20
"""Size limit in bytes for a script, a printed graph or a report."""
STDIN = "<stdin>"
"""Name shown for text that was read from standard input."""

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def read(path: str, limit: int, *, help: str | None = None) -> bytes:
    """Reads the regular file `path`. Returns its bytes.

    Raises `UnreadableError`, with the advice `help`, if it is not a regular file, is larger than `limit` bytes, or cannot be read.
    """
    with _as_unreadable(path, help):
        return read_plain(path, limit)


def read_plain(path: str, limit: int) -> bytes:
    """Like `read`, but raises OSError unchanged, and ValueError with the reason if `path` is not a regular file or is too large."""
    require_regular(os.stat(path))
    with open(path, "rb", opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        require_regular(status)
        if status.st_size > limit:
            raise ValueError(too_large(limit))
        return _bounded(file, status.st_size, limit)


def head(path: str, size: int) -> bytes:
    """Returns the first `size` bytes of a regular file; empty for any other kind of file. Raises OSError, also for a file that would block
    the reader.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        return b""
    with open(path, "rb", opener=_open_at_once, buffering=0) as file:
        return _now(file, size)


def _bounded(file: BinaryIO, size: int, limit: int) -> bytes:
    """Reads all of an open file of about `size` bytes: memory is allocated for the content, not for the limit. Raises ValueError if the
    content is longer than `limit`.
    """
    data = _now(file, min(size, limit) + 1)
    if len(data) <= size:  # the usual case; a growing file, or one of /proc with a reported size of 0, is read further
        rest = _now(file, 1) if data else b""
        if not rest:
            return data
        data += rest
    pieces = [data]
    total = len(data)
    while total <= limit and (piece := _now(file, min(1 << 20, limit + 1 - total))):
        pieces.append(piece)
        total += len(piece)
    if total > limit:
        raise ValueError(too_large(limit))
    return b"".join(pieces)


def _now(file: BinaryIO | FileIO, size: int) -> bytes:
    """Reads up to `size` bytes without waiting. Raises BlockingIOError if the read would block, as for /proc/kmsg."""
    data: bytes | None = file.read(size)
    if data is None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return data


def read_tail(path: str, limit: int, *, help: str | None = None) -> tuple[bytes, int]:
    """Reads the last bytes of a regular file of any size. Returns at most `limit` bytes, and the number of lines before them.

    Raises `UnreadableError`, with the advice `help`, if it is not a regular file or cannot be read.
    """
    with _as_unreadable(path, help):
        require_regular(os.stat(path))
        with open(path, "rb", opener=_open_at_once) as file:
            require_regular(os.fstat(file.fileno()))
            return tail(file, limit)


def tail(stream: BinaryIO, limit: int) -> tuple[bytes, int]:
    """Returns the last `limit` bytes of `stream`, from the beginning of a line if possible, and the number of lines before them."""
    blocks: deque[bytes] = deque()
    size = dropped = 0
    while block := stream.read(1 << 20):
        blocks.append(block)
        size += len(block)
        while size - len(blocks[0]) >= limit:
            size -= len(blocks[0])
            dropped += blocks.popleft().count(b"\n")
    data = b"".join(blocks)
    if size <= limit:
        return data, dropped
    cut = data.find(b"\n", size - limit, size - limit // 2) + 1 or size - limit
    return data[cut:], dropped + data.count(b"\n", 0, cut)


def decoded(data: bytes) -> str:
    """Returns the bytes as text: UTF-8, else Latin-1."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


@contextmanager
def _as_unreadable(path: str, help: str | None) -> Iterator[None]:
    """Turns errors of opening and reading `path` into `UnreadableError`."""
    try:
        yield
    except FileNotFoundError:
        raise UnreadableError("no such file", path=path, help=help) from None
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror or error}", path=path, help=help) from None
    except ValueError as error:
        raise UnreadableError(str(error), path=path, help=help) from None


def _open_at_once(path: str, flags: int) -> int:
    """Opens without waiting: if the file is exchanged for a pipe between check and open, a plain open would block until someone writes."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0))


def require_regular(status: os.stat_result) -> None:
    """Raises ValueError, naming the kind of file, unless `status` is the stat of a regular file."""
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for test, name in _KINDS if test(status.st_mode)), "something else")
        raise ValueError(f"this is {kind}, not a file")


def require_file(path: str) -> None:
    """Raises OSError or ValueError if `path` cannot be read or replaced as a file: it is missing, a folder, a device or a pipe."""
    if names_folder(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    require_regular(os.stat(path))


def names_folder(path: str) -> bool:
    """Returns whether a path can only name a folder, because it ends in `/`, `.` or `..`."""
    return os.path.basename(path) in ("", os.curdir, os.pardir)


def too_large(limit: int) -> str:
    """Returns the error message for a file with more than `limit` bytes."""
    return f"larger than {limit >> 20} MiB: too large for this kind of file" if limit >= 1 << 20 else f"larger than {limit} bytes"


def user_config(env: Mapping[str, str]) -> Path:
    """Returns the folder of theanodiag's configuration, below XDG_CONFIG_HOME or `.config` of the home folder."""
    return _home(env, "XDG_CONFIG_HOME", ".config")


def user_cache(env: Mapping[str, str]) -> Path:
    """Returns the folder of theanodiag's cache; its files can be deleted at any time."""
    return _home(env, "XDG_CACHE_HOME", ".cache")


def _home(env: Mapping[str, str], variable: str, usual: str) -> Path:
    """The folder that `variable` names, else `usual` in the home folder; a relative path is ignored, as the specification says."""
    given = env.get(variable, "")
    return (Path(given) if os.path.isabs(given) else Path(env.get("HOME") or os.path.expanduser("~"), usual)) / "theanodiag"


def notebook_text(path: str, help: str) -> str:
    """Reads a notebook of Python; returns its text. Raises `UnreadableError` if the file cannot be read (with the advice `help`), is not a
    notebook, or its cells are in another language.
    """
    from .compat.running import notebook  # few commands read one

    text = read(path, TEXT, help=help).decode("utf-8-sig", "replace")
    try:
        notebook.cells(text)
        other = notebook.other_language(text)
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise UnreadableError(f"this is not a notebook: {error}", path=path, help="save it again from Jupyter") from None
    if other is not None:
        raise UnreadableError(f"its cells are {other}, not Python", path=path, help="name a notebook of Python")
    return text


def require_text(text: str, kind: str) -> None:
    """Raises `UsageError` if `text` looks like the name of a file, for functions that take the text itself; `kind` says what text."""
    named = text.endswith((".py", ".ipynb", ".log", ".txt")) and len(text.split()) == 1
    if named or (0 < len(text) < 4096 and not {"\n", "\0"} & set(text) and os.path.isfile(text)):
        raise UsageError(f"{text!r} names a file: pass the text of the {kind}", help=f"pass Path({text!r}).read_text()")
