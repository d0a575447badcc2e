"""What lies around the sources that are ported: the modules of their folders, and whether their packages are of Python 2."""

from __future__ import annotations

import functools
import os

from .. import files
from ..errors import TheanodiagError
from ..porting import edits, python2
from ..porting.edits import Around
from ..porting.python2_marks import BRIDGE

_MODULES = (".py", ".so", ".pyd")
_HIGHEST = 12
"""Folders above a source that are looked at."""
_LARGEST = 1 << 20
"""Bytes of a source that is asked which Python it is of."""


class Surroundings:
    """Answers for the sources of one run; what was found out of a package holds for the whole run, while its sources are written anew."""

    def __init__(self) -> None:
        self._names = functools.cache(_names)
        self._packages = functools.cache(_is_python2)

    def of(self, path: str) -> Around:
        """What lies around a source."""
        folder = os.path.dirname(os.path.abspath(path))
        packaged = os.path.isfile(os.path.join(folder, "__init__.py"))
        above = frozenset(name for one in _folders(folder) for name in self._names(one))
        stem = os.path.splitext(os.path.basename(path))[0]
        beside = self._names(folder) - {"__init__"} if packaged else frozenset[str]()
        around = Around(stem, beside, above, lambda: packaged and self._packages(_top(folder)))
        around.is_python2()  # before any of its sources is written
        return around


def _folders(folder: str) -> list[str]:
    """The folder and those above it, up to the top of a repository or to that of an installed package."""
    found = []
    for _ in range(_HIGHEST):
        found.append(folder)
        if os.path.lexists(os.path.join(folder, ".git")) or os.path.dirname(folder) == folder:
            break
        folder = os.path.dirname(folder)
    return found


def _top(folder: str) -> str:
    """The topmost package in which a folder is."""
    while os.path.isfile(os.path.join(os.path.dirname(folder), "__init__.py")):
        folder = os.path.dirname(folder)
    return folder


def _names(folder: str) -> frozenset[str]:
    """The modules and packages in a folder."""
    found: set[str] = set()
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return frozenset()
    for entry in entries:
        stem, suffix = os.path.splitext(entry.name)
        if suffix in _MODULES:
            found.add(stem.partition(".")[0])
        elif not suffix and os.path.isfile(os.path.join(entry.path, "__init__.py")):
            found.add(stem)
    return frozenset(found)


def _is_python2(package: str) -> bool:
    """Whether a source of a package is one of Python 2, and none is written for both."""
    found = False
    for here, folders, names in os.walk(package):
        folders.sort()
        for name in sorted(n for n in names if n.endswith(".py")):
            path = os.path.join(here, name)
            try:
                text = edits.read(files.read(path, _LARGEST), path).text
            except TheanodiagError:
                continue
            if BRIDGE.search(text) is not None:
                return False
            found = found or python2.is_source_of_python2(text, path)
    return found
