"""Which files `port` looks at: those that are named, and the sources in folders; no link is followed out of what was named."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..errors import UnreadableError

SUFFIXES = (".py", ".ipynb")
"""Endings of the files that are ported in folders; a file that is named itself is ported whatever its ending."""
_LEFT_OUT = frozenset(("__pycache__", "node_modules", "site-packages"))


@dataclass(frozen=True)
class Skipped:
    """A link that is not followed."""

    path: str
    reason: str


def found(paths: Sequence[str]) -> Iterator[str | UnreadableError | Skipped]:
    """Yields the files to port: those that are named, and the sources in folders, in order of their names.

    Folders whose name begins with a dot are skipped, and each file comes once. Links in folders are not followed: what they lead to comes
    in its own place, or is `Skipped` where that is none of the places looked at. Of what is named itself below the current folder no link
    is followed out of that (a shell's `*` names links too); of what is named elsewhere none out of its own folder.
    """
    roots = tuple(os.path.realpath(path) for path in paths if os.path.isdir(path) and _stays(path, ()))
    seen: set[str] = set()
    for path in paths:
        named = iter((path if _stays(path, roots) else _skipped(path),))
        for file in _below(path, roots) if os.path.isdir(path) and _stays(path, roots) else named:
            if isinstance(file, str):
                real = os.path.realpath(file)
                if real in seen:
                    continue
                seen.add(real)
            yield file


def _below(folder: str, roots: Sequence[str]) -> Iterator[str | UnreadableError | Skipped]:
    refused: list[OSError] = []
    for here, folders, names in os.walk(folder, onerror=refused.append):
        while refused:
            yield _unreadable(refused.pop())
        folders[:] = sorted(f for f in folders if not _is_left_out(f))
        for name in folders:
            path = os.path.join(here, name)
            if os.path.islink(path) and not _is_walked(os.path.realpath(path), roots):
                yield _skipped(path)
        for name in sorted(n for n in names if n.endswith(SUFFIXES)):
            path = os.path.join(here, name)
            real = os.path.realpath(path)
            if not os.path.islink(path) or not os.path.exists(real):  # of a link to nothing it is told that there is no such file
                yield path
            elif not (_is_walked(real, roots) and real.endswith(SUFFIXES)):
                yield _skipped(path)
    while refused:
        yield _unreadable(refused.pop())


def _stays(path: str, roots: Sequence[str]) -> bool:
    """Whether the links on the way to what is named do not lead out of where it is named, or lead to a folder that is named too."""
    whole, here = os.path.abspath(path), os.path.abspath(".")
    if os.path.isdir(path) and not _is_inside(whole, here):
        return True
    start = here if _is_inside(whole, here) else os.path.dirname(whole)
    return any(_is_inside(os.path.realpath(path), root) for root in (*roots, os.path.realpath(start), os.path.realpath(here)))


def _is_left_out(name: str) -> bool:
    return name.startswith(".") or name in _LEFT_OUT


def _is_walked(real: str, roots: Sequence[str]) -> bool:
    """Whether the walk through one of the folders comes to a place by itself."""
    inside = (os.path.relpath(real, root).split(os.sep) for root in roots if _is_inside(real, root))
    return any(not any(_is_left_out(part) for part in parts[:-1]) for parts in inside)


def _is_inside(real: str, root: str) -> bool:
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def _skipped(path: str) -> Skipped:
    return Skipped(path, f"a link to {os.path.realpath(path)}, which is not among the files to port; name that file to port it")


def _unreadable(error: OSError) -> UnreadableError:
    return UnreadableError(f"cannot be read: {error.strerror}", path=str(error.filename), help="change its permissions, or leave it out")
