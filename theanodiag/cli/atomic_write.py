"""Writes files atomically: a temporary file beside the target, fsync, rename."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator

from .. import files
from ..errors import UnreadableError

MARK = ".theanodiag-"
"""Part of the names of temporary files; files left by a killed process are removed by the next writer after `STALE` seconds."""
STALE = 3600.0
BACKUPS = 1000
"""Maximum number of names tried for a backup."""


def write_atomically(path: str, data: bytes, *, before: bytes | None, backup: bool = False) -> str | None:
    """Replaces the content of `path` by `data`; mode, owner and symbolic links stay. `before` is the expected content (None: the file does
    not exist).

    With `backup` the old file is kept as `path.bak` (`.bak1` … if that exists), whose name is returned. The backup is complete before the
    file is replaced, and is removed if the replacement fails. Raises `UnreadableError`, and leaves the old file unchanged, if `path` cannot
    be written or has changed meanwhile.
    """
    real = os.path.realpath(path)
    with _explained(path):
        _allowed(real, path, before)
        kept = None
        handle, temporary = _temporary(real)
        try:
            _fill(handle, temporary, real, (data,), before)
            if backup and before is not None:
                kept = _back_up(real, path, before)
            if _content(real) != before:
                raise UnreadableError("the file was changed by someone else meanwhile; nothing was written", path=path, help="try again")
            if before is not None:
                os.replace(temporary, real)
            elif not _named(temporary, real):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            else:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(temporary)
        except BaseException:
            for leftover in (temporary, kept):
                with contextlib.suppress(OSError, TypeError):
                    os.unlink(leftover)  # type: ignore[arg-type]
            raise
        _sync_folder(os.path.dirname(real))
        _clear_stale(real)
        return kept


def replace_whole(path: str, pieces: Iterable[bytes]) -> None:
    """Writes a report to `path`, piece by piece, in place of any previous content; mode, owner and symbolic links stay.

    If `path` is a terminal, a pipe or `/dev/null`, the pieces are written as they come. Raises `UnreadableError`, and leaves the old file
    unchanged, if it cannot be written.
    """
    real = os.path.realpath(path)
    with _explained(path):
        if is_stream(path):
            with open(path, "wb") as stream:
                stream.writelines(pieces)
            return
        before = b"" if os.path.lexists(real) else None
        _allowed(real, path, before)
        handle, temporary = _temporary(real)
        try:
            _fill(handle, temporary, real, pieces, before)
            os.replace(temporary, real)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _sync_folder(os.path.dirname(real))
        _clear_stale(real)


def is_stream(path: str) -> bool:
    """Returns whether `path` is a stream rather than a file: a pipe, or a character device such as a terminal or `/dev/null`."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def require_absent(path: str, option: str) -> None:
    """Raises `UnreadableError` if the new file that `option` names exists; checked before long work."""
    if os.path.lexists(path):
        raise UnreadableError("the file exists; nothing was written", path=path, help=f"name another one with {option}")


def require_writable(path: str) -> None:
    """Raises `UnreadableError` if `write_atomically` could not write `path`; checked before long work."""
    real = os.path.realpath(path)
    with _explained(path):
        _allowed(real, path, b"" if os.path.lexists(real) else None)
        os.stat(os.path.dirname(real))
        if not os.access(os.path.dirname(real), os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _allowed(real: str, path: str, before: bytes | None) -> None:
    """Raises where a rename would do what nobody meant: put a file in place of a folder, a device or a pipe, replace a read-only file, or
    part the names of a file that has several."""
    if before is None:
        if files.names_folder(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not os.path.lexists(real):
            return
    status = os.stat(real)
    try:
        files.require_regular(status)
    except ValueError as reason:
        raise UnreadableError(str(reason), path=path, help="name a file; nothing was changed") from None
    if not os.access(real, os.W_OK) or not status.st_mode & 0o222:  # root may write any
        raise UnreadableError("the file is read-only", path=path, help="chmod u+w it, or write to another file")
    if status.st_nlink > 1:
        advice = "separate it from its hard links first: cp -p FILE NEW && mv NEW FILE"
        others = f"the file has {status.st_nlink} names (hard links), and the other names would keep the old text; nothing was written"
        raise UnreadableError(others, path=path, help=advice)


def _temporary(real: str) -> tuple[int, str]:
    return tempfile.mkstemp(prefix=f".{os.path.basename(real)}{MARK}", dir=os.path.dirname(real))


def _back_up(real: str, path: str, data: bytes) -> str:
    """Writes `data`, the content of `real`, to a back-up file, atomically; returns the file's name."""
    handle, temporary = _temporary(real)
    try:
        _fill(handle, temporary, real, (data,), data)
        for name in (f"{real}.bak", *(f"{real}.bak{n}" for n in range(1, BACKUPS))):
            if _named(temporary, name):
                return name
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
    raise UnreadableError("there are a thousand backups already", path=path, help="remove some")


def _named(temporary: str, name: str) -> bool:
    """Renames the complete file `temporary` to `name`; False if a file with that name exists."""
    try:
        os.link(temporary, name)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if os.path.lexists(name):
            return False
        os.rename(temporary, name)
    return True


def _fill(handle: int, temporary: str, real: str, pieces: Iterable[bytes], before: bytes | None) -> None:
    expected, actual = hashlib.sha256(), hashlib.sha256()
    with os.fdopen(handle, "wb") as file:
        for piece in pieces:
            expected.update(piece)
            file.write(piece)
        file.flush()
        if before is None:
            os.fchmod(file.fileno(), 0o666 & ~_umask())
        else:
            _like(real, file.fileno(), temporary)
        os.fsync(file.fileno())
    with open(temporary, "rb") as written:
        while piece := written.read(1 << 20):
            actual.update(piece)
    if actual.digest() != expected.digest():
        raise OSError("the written file cannot be read back")


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
        return files.read_plain(path, files.TEXT)
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
        with contextlib.suppress(OSError):  # another writer may have removed it meanwhile
            if entry.name.startswith(begin) and entry.stat(follow_symlinks=False).st_mtime < time.time() - STALE:
                os.unlink(entry.path)


@contextlib.contextmanager
def _explained(path: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableError(f"cannot be written: {reason}; the file is as it was", path=path, help="nothing was changed") from error
