"""Writes a file so that at every moment there is the old one or the new one, whole: a temporary file beside it, fsync, rename."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator

from ..errors import UnreadableError

MARK = ".theanodiag-"
"""In the names of temporary files; what a killed writer leaves is cleared by the next one after `STALE` seconds."""
STALE = 3600.0


def write_atomically(path: str, data: bytes, *, before: bytes | None) -> None:
    """Replaces `path`, which holds `before` (None: does not exist yet), by `data`; mode, owner and symbolic links stay.

    Raises `UnreadableError`, with the old file untouched, where it cannot be done or the file has changed meanwhile.
    """
    real = os.path.realpath(path)
    with _explained(path):
        _allowed(real, path, before)
        handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(real)}{MARK}", dir=os.path.dirname(real))
        try:
            _fill(handle, temporary, real, data, before)
            if _content(real) != before:
                raise UnreadableError("the file was changed by someone else meanwhile; nothing was written", path=path, help="try again")
            os.replace(temporary, real)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _sync_folder(os.path.dirname(real))
        _clear_stale(real)


def require_writable(path: str) -> None:
    """Raises `UnreadableError` where `write_atomically` could not write `path` as things are now: asked before long work."""
    real = os.path.realpath(path)
    with _explained(path):
        if os.path.isdir(real):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        os.stat(os.path.dirname(real))
        if not os.access(os.path.dirname(real), os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        _allowed(real, path, b"" if os.path.exists(real) else None)


def back_up(path: str, data: bytes) -> str:
    """Keeps `data` beside `path` as `path.bak` (`.bak1` … where that exists); gives the name."""
    real = os.path.realpath(path)
    with _explained(path):
        for name in (f"{real}.bak", *(f"{real}.bak{n}" for n in range(1, 1000))):
            with contextlib.suppress(FileExistsError):
                handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                _fill(handle, name, real, data, data)
                return name
    raise UnreadableError("there are a thousand backups already", path=path, help="remove some")


def _allowed(real: str, path: str, before: bytes | None) -> None:
    """A rename would replace a read-only file too; its owner did not mean that."""
    if before is not None and not os.access(real, os.W_OK):
        raise UnreadableError("the file is read-only", path=path, help="chmod u+w it, or write to another file")


def _fill(handle: int, temporary: str, real: str, data: bytes, before: bytes | None) -> None:
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        if before is None:
            os.fchmod(file.fileno(), 0o666 & ~_umask())
        else:
            _like(real, file.fileno(), temporary)
        os.fsync(file.fileno())
    if _content(temporary) != data:
        raise OSError("what was written does not read back")


def _like(real: str, handle: int, temporary: str) -> None:
    """Gives the temporary file the owner, mode and extended attributes of the real one."""
    old, new = os.stat(real), os.fstat(handle)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        os.fchown(handle, old.st_uid, old.st_gid)
    shutil.copystat(real, temporary)
    os.fchmod(handle, stat.S_IMODE(old.st_mode))
    os.utime(temporary)


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _clear_stale(real: str) -> None:
    begin = f".{os.path.basename(real)}{MARK}"
    for entry in os.scandir(os.path.dirname(real)):
        if entry.name.startswith(begin) and entry.stat(follow_symlinks=False).st_mtime < time.time() - STALE:
            with contextlib.suppress(OSError):
                os.unlink(entry.path)


@contextlib.contextmanager
def _explained(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnreadableError(f"cannot be written: {reason}; the file is as it was", path=path, help="nothing was changed") from error
