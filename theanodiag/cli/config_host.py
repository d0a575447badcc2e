"""The machine as `flags` wants to know it: the disk, the home folder, the compiler."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from ..errors import UnreadableError
from ..flags.model import Host

MAX_BYTES = 4 << 20
"""No rc file is that long: it is some other file."""

KERNEL_FOLDERS = ("proc", "sys")
"""Nobody can make a folder there, whatever the permissions say."""


@dataclass(frozen=True)
class RealDisk:
    """The disk, seen from a folder."""

    cwd: str

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, or None where the libraries find nothing to open. Raises `UnreadableError` where it is far too long."""
        full = Path(self.cwd, path)
        try:
            if full.stat().st_size > MAX_BYTES:
                raise UnreadableError(f"{full.stat().st_size} bytes are too many for an rc file", path=path, help="name the right file")
            return full.read_bytes() if full.is_file() else None
        except OSError:
            return None

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""
        return Path(self.cwd, path).exists()

    def realpath(self, path: str) -> str:
        """The absolute path with links followed."""
        return os.path.realpath(Path(self.cwd, path))

    def program(self, name: str, search: str) -> bool:
        """Whether there is a program `name` that can be started, given the folders of `PATH`."""
        return shutil.which(name, path=search) is not None

    def unusable(self, path: str) -> str | None:
        """Why `path` cannot be the compiledir: Theano 1.0.5, configdefaults.py, filter_compiledir."""
        full = self.realpath(path)
        if os.access(full, os.F_OK):
            usable = os.path.isdir(full) and os.access(full, os.R_OK | os.W_OK | os.X_OK)
            return None if usable else f"compiledir '{full}' exists but you don't have read, write or listing permissions."
        above = next(p for p in Path(full).parents if p.exists())
        makeable = above.is_dir() and os.access(above, os.W_OK | os.X_OK) and full.split("/")[1] not in KERNEL_FOLDERS
        return None if makeable else f"Unable to create the compiledir directory '{full}'. Check the permissions."


def this_host(python: tuple[int, int]) -> Host:
    """This machine, for an interpreter of that version."""
    mac = sys.platform == "darwin"
    cxx = shutil.which("g++") or (shutil.which("clang++") if mac else None)
    return Host(platform=sys.platform, python=python, home=str(Path.home()), cxx=cxx or "", disk=RealDisk(os.getcwd()))
