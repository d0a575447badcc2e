"""Stores scan results between runs: an append-only file, so that a killed scan can continue.

A repository may be a stranger's, and so may be what lies in it: each line is authenticated with the user's own key (HMAC, RFC 2104), and a
file in the repository is opened without following a link.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import hashlib
import hmac
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from ..errors import UnreadableError
from ..files import user_cache
from ..processes import git

NAME = "scan.jsonl"
_SCANS, _SECRET = "scans", "secret"
_NOTE = b"# made by theanodiag scan; may be removed at any time\n*\n"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_KEY, _SEAL, _VALUE = b'{"key": "', b'", "seal": "', b'", "value": '
_BYTES = 32
"""Number of bytes of the user's key."""
_DIGITS = 64
"""Hexadecimal digits of a SHA-256."""
_HEAD = len(_KEY) + _DIGITS + len(_SEAL) + _DIGITS + len(_VALUE)


def key(*parts: str | bytes) -> str:
    """Returns the key under which the result for a scanned file is stored: a hash of `parts` (everything that affects the result) and of
    our own sources.
    """
    return _hash(_build(), *parts)


def _hash(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


@functools.cache
def _build() -> bytes:
    """A hash of our own source files, since sources of an unreleased version change under one version number, and times of files change
    with each installation.
    """
    top = Path(__file__).resolve().parents[1]
    parts: list[str | bytes] = []
    for path in sorted(top.rglob("*.py")):
        with contextlib.suppress(OSError):  # it is installed anew just now
            parts += [str(path.relative_to(top)), path.read_bytes()]
    return bytes.fromhex(_hash(*parts))


def _of_paths(paths: Sequence[str]) -> str:
    """The name of the file in the user's cache that stores results for these paths. It is the same in later versions, so that they can
    delete it.
    """
    return _hash(*sorted({os.path.realpath(p) for p in paths})) + ".jsonl"


class ResultStore:
    """Stored scan results, by key. Lines that are damaged, for example by a crash during writing, or written by another program are
    ignored.
    """

    def __init__(self, folder: Path, name: str, fd: int, secret: bytes) -> None:
        self.path, self._secret = folder / name, secret
        self._places: dict[str, tuple[int, int]] = {}
        self._file: IO[bytes] = os.fdopen(fd, "a+b")
        self._index()

    def _index(self) -> None:
        self._file.seek(0)
        at = 0
        for line in self._file:
            if line.endswith(b"\n") and line.startswith(_KEY):
                self._places[line[len(_KEY) : len(_KEY) + _DIGITS].decode("ascii", "replace")] = (at, len(line))
            at += len(line)
        self._torn = at > 0 and not self._ends_whole(at)

    def _ends_whole(self, size: int) -> bool:
        self._file.seek(size - 1)
        return self._file.read(1) == b"\n"

    def _line(self, name: str, value: bytes) -> bytes:
        seal = hmac.new(self._secret, name.encode("ascii") + b"\0" + value, hashlib.sha256).hexdigest().encode("ascii")
        return b"%s%s%s%s%s%s}\n" % (_KEY, name.encode("ascii"), _SEAL, seal, _VALUE, value)

    def get(self, name: str) -> Any:
        """Returns the value stored under the key `name`; None if there is none, or its line is damaged."""
        place = self._places.get(name)
        if place is None:
            return None
        self._file.seek(place[0])
        line = self._file.read(place[1])
        value = line[_HEAD:-2]
        return json.loads(value) if hmac.compare_digest(line, self._line(name, value)) else None

    def put(self, name: str, value: Any) -> None:
        """Stores a JSON value under the key `name`. When the function returns, the value is completely written, unless the machine itself
        fails.
        """
        try:
            self._file.write(b"\n" * self._torn + self._line(name, json.dumps(value).encode("utf-8")))
            self._file.flush()
        except OSError as error:
            raise _unusable(self.path, error.strerror) from None
        self._torn = False

    def __enter__(self) -> ResultStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with contextlib.suppress(OSError):  # a line that could not be written, which `put` told
            self._file.close()


def of_user(paths: Sequence[str], env: Mapping[str, str] = os.environ) -> ResultStore:
    """Returns the store for scans of these paths in the user's cache folder. Raises `UnreadableError` if the folder cannot be used."""
    folder = user_cache(env) / _SCANS
    with _clear_errors(folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        name = _of_paths(paths)
        with _opened(os.path.realpath(folder), make=False) as at:
            return ResultStore(folder, name, _own_file(at, name), _secret(env))


def in_folder(folder: str, env: Mapping[str, str] = os.environ) -> ResultStore:
    """Opens the store in a folder named by the user.

    Raises `UnreadableError` if it cannot be used, because a component of its path or the file is a link, does not belong to the user, or is
    tracked by git.
    """
    path = Path(folder, NAME)
    with _clear_errors(path):
        secret = _secret(env)
        with _opened(folder, make=True) as at:
            if _is_tracked(folder):
                raise _unusable(path, "git tracks it: it would be changed by a scan", "git rm --cached it, or use another folder")
            with contextlib.suppress(FileExistsError):
                ignore = os.open(".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, 0o666, dir_fd=at)
                with os.fdopen(ignore, "wb") as file:
                    file.write(_NOTE)
            return ResultStore(Path(folder), NAME, _own_file(at, NAME), secret)


def clear(folder: str | None, paths: Sequence[str] = (), env: Mapping[str, str] = os.environ) -> None:
    """Removes the store in a folder, or the user's store (None) for these paths or for all, if there is one."""
    if folder is None:
        scans = os.path.realpath(user_cache(env) / _SCANS)
        names = [_of_paths(paths)] if paths else None
    else:
        scans, names = folder, [NAME]
    with _clear_errors(Path(scans)), contextlib.suppress(FileNotFoundError), _opened(scans, make=False) as at:
        if folder is not None and _is_tracked(folder):
            raise _unusable(Path(folder, NAME), "git tracks it", "remove it by hand")
        for name in names if names is not None else os.listdir(at):
            with contextlib.suppress(FileNotFoundError):
                os.close(_own_file(at, name, os.O_RDONLY))
                os.unlink(name, dir_fd=at)


@contextlib.contextmanager
def _opened(folder: str, *, make: bool) -> Iterator[int]:
    """A descriptor of a folder, no component of which is a link; with `make`, those that are missing are made."""
    at = os.open("/" if os.path.isabs(folder) else ".", _FOLDER)
    try:
        for part in Path(folder).parts:
            if part == "/":
                continue
            try:
                below = os.open(part, _FOLDER, dir_fd=at)
            except FileNotFoundError:
                if not make:
                    raise
                os.mkdir(part, dir_fd=at)
                below = os.open(part, _FOLDER, dir_fd=at)
            os.close(at)
            at = below
        yield at
    finally:
        os.close(at)


def _own_file(folder: int, name: str, flags: int = os.O_RDWR | os.O_APPEND | os.O_CREAT) -> int:
    """A descriptor of a regular file that belongs to the user and has no other name. Raises OSError otherwise."""
    fd = os.open(name, flags | _FILE, 0o600, dir_fd=folder)
    state = os.fstat(fd)
    if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid() or state.st_nlink > 1:
        os.close(fd)
        raise OSError(0, "the file is not exclusively yours")
    return fd


def _secret(env: Mapping[str, str]) -> bytes:
    """The key that authenticates stored results, created if there is none; only the user can read its file. Raises OSError."""
    home = user_cache(env)
    os.makedirs(home, mode=0o700, exist_ok=True)
    with _opened(os.path.realpath(home), make=False) as at:
        fcntl.flock(at, fcntl.LOCK_EX)  # two scans that begin at once have one key
        with contextlib.suppress(FileNotFoundError):
            with os.fdopen(_own_file(at, _SECRET, os.O_RDONLY), "rb") as file:
                stored, mode = file.read(_BYTES + 1), os.fstat(file.fileno()).st_mode
            if len(stored) == _BYTES and not mode & 0o077:
                return stored
            os.unlink(_SECRET, dir_fd=at)  # others may have read it, or it is damaged: what it sealed is computed anew
        secret = os.urandom(_BYTES)
        with os.fdopen(os.open(_SECRET, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, 0o600, dir_fd=at), "wb") as file:
            file.write(secret)
        return secret


def _is_tracked(folder: str) -> bool:
    """Whether git tracks the store of a folder; git starts nothing that the repository names for that. False without git."""
    try:
        return git.run_git(folder, "ls-files", "--error-unmatch", "--", NAME, seconds=10).returncode == 0
    except OSError:
        return False


def _unusable(path: Path, reason: str | None, help: str = "use --cache DIR or --no-cache") -> UnreadableError:
    return UnreadableError(f"results cannot be kept here: {reason}", path=str(path), help=help)


@contextlib.contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    """Turns OSErrors about `path` inside a `with` block into UnreadableError."""
    try:
        yield
    except OSError as error:
        linked = error.errno in (errno.ENOTDIR, errno.ELOOP)
        reason = "it, or a folder in its path, is a link or not a folder" if linked else error.strerror
        raise _unusable(path, reason) from None
