"""What a forked child writes goes into a folder of its own, from which it reads it again; files that are there stay as they are."""

import builtins
import io
import os
import shutil
import tempfile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
"""Flags of `os.open` that change a file."""
CACHES = (".cache", ".config", "__pycache__", ".pytensor", ".numba", ".matplotlib")
"""Parts of paths of what libraries keep for themselves."""


class OwnFiles(object):
    """Stands before what Python itself opens, makes and removes by a path; libraries that do so in C are not seen."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def install(self) -> None:
        """For the rest of the process."""
        opened = self._opened(builtins.open)
        builtins.open = io.open = opened
        os.open = self._opened_low(os.open)
        os.mkdir = self._made(os.mkdir)
        for name in ("remove", "unlink", "rmdir"):
            setattr(os, name, self._removed(getattr(os, name)))

    def place(self, path: "Live") -> str:
        """Where the child has its own file of that path."""
        return os.path.join(self.folder, absolute(path).lstrip(os.sep))

    def _own(self, path: "Live", writes: bool, keeps: bool) -> "Live":
        """The path to open; `keeps`: with what is there already."""
        if isinstance(path, int) or own(path):
            return path
        mine = self.place(path)
        if not writes:
            return mine if os.path.exists(mine) else path
        if os.path.isdir(os.path.dirname(absolute(path))) and not os.path.isdir(os.path.dirname(mine)):
            os.makedirs(os.path.dirname(mine))
        if keeps and not os.path.exists(mine) and os.path.exists(path):
            shutil.copyfile(path, mine)
        return mine

    def _opened(self, real: "Live") -> "Live":
        def opened(file: "Live", mode: str = "r", *args: "Live", **kwargs: "Live") -> "Live":
            return real(self._own(file, any(c in mode for c in "wax+"), any(c in mode for c in "ar")), mode, *args, **kwargs)

        return opened

    def _opened_low(self, real: "Live") -> "Live":
        def opened(path: "Live", flags: int, *args: "Live", **kwargs: "Live") -> "Live":
            return real(self._own(path, bool(flags & WRITES), not flags & os.O_TRUNC), flags, *args, **kwargs)

        return opened

    def _made(self, real: "Live") -> "Live":
        def make(path: "Live", mode: int = 0o777, **kwargs: "Live") -> None:
            if own(path) or os.path.exists(path):
                real(path, mode, **kwargs)
                return
            mine = self.place(path)
            if os.path.isdir(mine):
                raise FileExistsError(17, "File exists", path)
            os.makedirs(mine)

        return make

    def _removed(self, real: "Live") -> "Live":
        def removed(path: "Live", **kwargs: "Live") -> None:
            mine = path if own(path) else self.place(path)
            if own(path) or os.path.exists(mine):
                real(mine, **kwargs)

        return removed


def absolute(path: "Live") -> str:
    """The path as text, from the root on."""
    text = os.fspath(path)
    return os.path.abspath(text.decode("utf-8", "replace") if isinstance(text, bytes) else text)


def own(path: "Live") -> bool:
    """Whether nobody but libraries, or this run, has what lies there."""
    text = absolute(path)
    inside = text.startswith((tempfile.gettempdir() + os.sep, "/dev/", "/proc/"))
    return inside or any(part.startswith(CACHES) for part in text.split(os.sep))
