"""What lies around a source: the modules beside it and above it, by which its imports are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Around:
    """The place of a source among others."""

    stem: str = ""
    """The name of the module that it is itself."""
    beside: frozenset[str] = frozenset()
    """Names of the modules and packages in its folder, where that is a package: what Python 2 imports by their names alone."""
    above: frozenset[str] = frozenset()
    """Names of the modules and packages in its folder and in those above it, up to the top of its repository."""
    is_python2: Callable[[], bool] = lambda: False
    """Whether its package is one of Python 2: a source of it is."""


NOWHERE = Around()
"""Of a text that is no file, or whose place is not known."""
