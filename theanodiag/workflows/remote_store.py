"""Results of scans in a folder behind a URL, such as one of an object store: each scan adds objects of its own, none is ever changed."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import UnreadableError, UsageError
from . import result_store
from .result_store import Store

SEGMENT_BYTES, SEGMENT_SECONDS = 1 << 20, 10.0
"""An object is written when its results are so large, or so old: what a scan that is killed had not written is done again."""
_PREFIX, _SUFFIX = "scan-", ".jsonl"


def is_url(where: str) -> bool:
    """Whether a cache is a URL (`s3://bucket/folder`) and not a folder of this machine."""
    return "://" in where


class RemoteStore(Store):
    """A store whose lines come from all objects below a URL, and go there in objects of this scan alone: nothing has to be locked."""

    def __init__(self, url: str, folder: str) -> None:
        """`folder`: an empty one of this machine, for the lines while the scan goes on."""
        self.url, self._pending, self._size, self._since = url, list[bytes](), 0, time.monotonic()
        self._fs, self._root = _located(url)
        with _told(url), Path(folder, result_store.NAME).open("wb") as lines:
            for name in _objects(self._fs, self._root):
                lines.write(self._fs.cat_file(name).rstrip(b"\n") + b"\n")
        super().__init__(folder)

    def put(self, name: str, value: Any) -> None:
        """Keeps a value (JSON) here at once, and behind the URL with the next object."""
        super().put(name, value)
        line = result_store.line(name, value)
        self._pending.append(line)
        self._size += len(line)
        if self._size >= SEGMENT_BYTES or time.monotonic() - self._since >= SEGMENT_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Writes what is not behind the URL yet, as one object."""
        if self._pending:
            with _told(self.url):
                self._fs.makedirs(self._root, exist_ok=True)
                self._fs.pipe_file(f"{self._root}/{_PREFIX}{uuid.uuid4().hex}{_SUFFIX}", b"".join(self._pending))
        self._pending, self._size, self._since = [], 0, time.monotonic()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self.flush()


@contextlib.contextmanager
def opened(where: str) -> Iterator[Store]:
    """The store in a folder or behind a URL; raises `UnreadableError` where it cannot be used, `UsageError` where a package lacks."""
    if not is_url(where):
        with Store(where) as store:
            yield store
        return
    with tempfile.TemporaryDirectory(prefix="theanodiag-") as folder, RemoteStore(where, folder) as remote:
        yield remote


def clear(where: str) -> bool:
    """Removes the results in a folder or behind a URL, and nothing else; whether there were any."""
    if not is_url(where):
        return result_store.clear(where)
    fs, root = _located(where)
    with _told(where):
        names = _objects(fs, root)
        for name in names:
            fs.rm_file(name)
    return bool(names)


def _located(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise UsageError("fsspec is not installed, which reads and writes URLs", help="pip install 'theanodiag[fsspec]'") from None
    try:
        fs, root = url_to_fs(url, use_listings_cache=False)
    except ImportError as error:
        raise UsageError(f"--cache {url}: {error}", help="install that, or use --cache DIR") from None
    except (ValueError, TypeError) as error:
        raise UsageError(f"--cache {url}: {error}", help="such as --cache s3://bucket/folder") from None
    return fs, root.rstrip("/")


def _objects(fs: Any, root: str) -> list[str]:
    """The objects of all scans; none where the folder is not there yet."""
    try:
        names = fs.ls(root, detail=False)
    except FileNotFoundError:
        return []
    return sorted(n for n in names if os.path.basename(n).startswith(_PREFIX) and n.endswith(_SUFFIX))


@contextlib.contextmanager
def _told(url: str) -> Iterator[None]:
    """Whatever a file system of fsspec ends with becomes a clear error."""
    try:
        yield
    except Exception as error:  # each file system has its own
        told = str(error).partition("\n")[0] or type(error).__name__
        raise UnreadableError(f"cannot be read or written: {told}", path=url, help="use --cache DIR or --no-cache") from None
