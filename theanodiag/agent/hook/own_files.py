"""Redirects the files that a forked child writes into a folder of its own, from which it also reads them. Existing files stay unchanged."""

import builtins
import io
import os
import shutil

from .kept_files import WRITES, absolute, is_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live


class OwnFiles(object):
    """Redirects Python's own functions that open, create and remove files by path; libraries that do so in C are not redirected."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def install(self) -> None:
        """Installs the redirection for the rest of the process."""
        opened = self._opened(builtins.open)
        builtins.open = io.open = opened
        os.open = self._opened_low(os.open)
        os.mkdir = self._made(os.mkdir)
        for name in ("remove", "unlink", "rmdir"):
            setattr(os, name, self._removed(getattr(os, name)))

    def place(self, path: "Live") -> str:
        """Returns the path in the child's own folder that is used instead of `path`."""
        return os.path.join(self.folder, absolute(path).lstrip(os.sep))

    def _own(self, path: "Live", writes: bool, keeps: bool) -> "Live":
        """The path that a child opens instead of `path`. `keeps`: the child's file must start with the existing content."""
        if isinstance(path, int) or is_private(path):
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
            if is_private(path) or os.path.exists(path):
                real(path, mode, **kwargs)
                return
            mine = self.place(path)
            if os.path.isdir(mine):
                raise FileExistsError(17, "File exists", path)
            os.makedirs(mine)

        return make

    def _removed(self, real: "Live") -> "Live":
        def removed(path: "Live", **kwargs: "Live") -> None:
            mine = path if is_private(path) else self.place(path)
            if is_private(path) or os.path.exists(mine):
                real(mine, **kwargs)

        return removed
