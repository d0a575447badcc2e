"""Modules that only Python 2 scripts import: they are Python 2 too, even if Python 3 can parse them."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Set

from .. import files
from ..errors import TheanodiagError
from ..porting import model, python2, relative_imports

LARGEST = 1 << 20
"""Number of bytes of a source that are read to find its Python version."""
MOST_IMPORTS = 200
"""Number of files whose imports are read."""


class OnDisk(Container[str]):
    """The set of all files that exist."""

    def __contains__(self, path: object) -> bool:
        """Returns whether the file exists."""
        return os.path.isfile(str(path))


def imported_by_python2(folder: str) -> frozenset[str]:
    """Returns the paths of the modules that the Python 2 scripts in `folder` import, directly or not, and that no other script in it does.

    A script counts as Python 2 if Python 3 cannot parse it. Empty if there is none.
    """
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.name.endswith(".py") and entry.is_file())
    except OSError:
        return frozenset()
    scripts = {path: text for name in names if (text := _text(path := os.path.join(folder, name))) is not None}
    old = {path for path, text in scripts.items() if python2.is_python2(text) and python2.is_source_of_python2(text, path)}
    if not old:
        return frozenset()
    reached = _reached(old)
    return frozenset(reached - _reached(set(scripts) - old - reached))


def _reached(importers: Set[str]) -> set[str]:
    """The files that these files import, directly or not, without themselves."""
    seen, waiting = set(importers), list(importers)
    for path in _first(waiting, MOST_IMPORTS):
        text = _text(path)
        new = relative_imports.imported(text, path, OnDisk()) - seen if text is not None else frozenset()
        seen |= new
        waiting += sorted(new)
    return seen - importers


def _first(growing: list[str], count: int) -> Iterable[str]:
    """The first `count` items of a list that grows meanwhile."""
    for n in range(count):
        if n >= len(growing):
            return
        yield growing[n]


def _text(path: str) -> str | None:
    try:
        return model.read(files.read(path, LARGEST), path).text
    except TheanodiagError:
        return None
