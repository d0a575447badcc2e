"""Copies each existing file that the script is about to change, and lists those that it creates: in a dry or a shortened run what it saves
are not the results of a real one. `capture/kept_files.py` puts the copies back and names the new files.
"""

import io
import json
import os
import shutil
import sys
import tempfile
import time

from .builtin_names import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
"""Flags of `os.open` that change a file."""
CACHES = (".cache", ".config", "__pycache__", ".pytensor", ".numba", ".matplotlib")
"""Beginnings of the names of folders that are caches of libraries."""
MANIFEST = "manifest"
"""The file that lists the files: a line of JSON, [name of the copy, path], for each; the name for a file that was not there is ""."""


class KeptFiles(object):
    """Watches which files Python opens, renames and removes by path. Files that a library opens in C, as h5py does, are not watched."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.seen = set()  # type: set[str]
        self.busy = False  # whether `keep` runs, which opens files too
        self.started = time.time()

    def install(self) -> None:
        """Starts watching, for the rest of the process: with an audit hook, or, before CPython 3.8, by replacing Python's functions."""
        if hasattr(sys, "addaudithook"):
            sys.addaudithook(self.on_event)
            return
        for names in (NAMES, vars(io)):
            names["open"] = self._watched(names["open"], lambda file, mode="r", *args, **kwargs: [file] * writes(mode))
        for name in ("rename", "replace", "remove", "unlink"):
            if hasattr(os, name):
                setattr(os, name, self._watched(getattr(os, name), lambda *paths, **kwargs: paths))

    def on_event(self, event: str, args: "Live") -> None:
        """Handles an audit event (CPython, docs, "Audit events table"): `open` has (path, mode, flags); the others have paths, and after
        them the descriptors of the folders to which the paths are relative.
        """
        if event == "open":
            if args[2] & WRITES:
                self.keep(args[0])
        elif event == "os.rename":
            self.keep(args[0], args[2])
            self.keep(args[1], args[3])
        elif event == "os.remove":
            self.keep(args[0], args[1])
        elif event == "os.truncate":
            self.keep(args[0])

    def keep(self, path: "Live", folder: int = -1) -> None:
        """Copies the file at `path` once, before the script changes it; `folder` is the descriptor of the folder to which the path is
        relative, or -1 for the working folder. Raises OSError if there is no space for the copy.
        """
        if self.busy or isinstance(path, int):
            return
        self.busy = True
        try:
            seen_from = os.readlink("/proc/self/fd/%d" % folder) if folder >= 0 and os.path.isdir("/proc/self/fd") else ""
            real = os.path.realpath(os.path.join(seen_from, as_text(path)))
            if real in self.seen or is_private(real) or "compiledir" in real or os.path.isdir(real):
                return
            self.seen.add(real)
            if not os.path.lexists(real):
                if not os.path.basename(real).startswith("."):  # those are tools' own files, such as `.coverage`
                    self._list("", real)
            elif os.path.isfile(real) and os.path.getmtime(real) < self.started:  # else it is the script's own
                self._list("%d-%d" % (os.getpid(), len(self.seen)), real)  # a forked process counts from the same number
        finally:
            self.busy = False

    def _list(self, name: str, real: str) -> None:
        """Copies a file to `name` in the folder, unless that is empty, and adds it to the manifest."""
        try:
            if name:
                shutil.copy2(real, os.path.join(self.folder, name))
            with io.open(os.path.join(self.folder, MANIFEST), "ab") as file:
                file.write((json.dumps([name, real]) + "\n").encode("ascii"))
        except (IOError, OSError) as error:  # two classes in Python 2
            reason = "theanodiag cannot keep a copy of this file, which the script is about to change (%s)" % error.strerror
            raise OSError(error.errno, reason, real)

    def _watched(self, real: "Live", paths: "Callable[..., Live]") -> "Live":
        def call(*args: "Live", **kwargs: "Live") -> "Live":
            for path in paths(*args, **kwargs):
                self.keep(path)
            return real(*args, **kwargs)

        return call


def writes(mode: "Live") -> bool:
    """Returns whether a file opened in this mode can be changed."""
    return any(letter in mode for letter in "wax+")


def as_text(path: "Live") -> str:
    """Converts a path of any type to text."""
    text = os.fspath(path) if hasattr(os, "fspath") else path
    return text if isinstance(text, str) else str(text.decode("utf-8", "replace"))


def absolute(path: "Live") -> str:
    """Converts a path of any type to an absolute path, as text."""
    return os.path.abspath(as_text(path))


def is_private(path: "Live") -> bool:
    """Returns whether the script may change the file at `path` without a copy being kept: a temporary file, a device, or a file in a cache
    of a library.
    """
    text = absolute(path)
    inside = text.startswith((tempfile.gettempdir() + os.sep, "/dev/", "/proc/"))
    return inside or any(part.startswith(CACHES) for part in text.split(os.sep))
