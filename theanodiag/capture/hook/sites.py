"""The place in the user's source from which the framework was called: the innermost frame outside of the framework and of our files."""

import linecache
import os
import sys

OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
"""The folder of theanodiag, or of the copy that CPython 2.7 reads."""
STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
"""The folder of the standard library."""
INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
"""Parts of paths of installed packages."""


def installed(path: str) -> bool:
    """Whether a source file belongs to the standard library or an installed package."""
    return path.startswith((STANDARD, "<")) or any(part in path for part in INSTALLED)


class Sites(object):
    """Finds places in the user's source; `skip` holds the folders of the frameworks and of our own files."""

    def __init__(self) -> None:
        self.skip = (OURS,)  # type: tuple[str, ...]

    def add(self, folder: str) -> None:
        """Adds a framework's folder to `skip`."""
        self.skip = self.skip + (folder.rstrip(os.sep) + os.sep,)

    def here(self) -> "dict[str, object] | None":
        """The user's innermost frame; if there is none, that of the library nearest to the framework (Keras, Lasagne)."""
        frame, nearest = sys._getframe(1), None
        while frame is not None:
            path = frame.f_code.co_filename
            if not path.startswith(self.skip) and not path.startswith("<frozen"):
                if not installed(path):
                    return self._site(path, frame.f_lineno, frame.f_code.co_name)
                nearest = nearest or (path, frame.f_lineno, frame.f_code.co_name)
            frame = frame.f_back  # type: ignore[assignment]
        return self._site(*nearest) if nearest else None

    @staticmethod
    def _site(path: str, line: int, function: str) -> "dict[str, object]":
        code = linecache.getline(path, line).strip()
        return {"path": path, "line": line, "function": None if function == "<module>" else function, "code": code or None}
