"""The interpreters on this machine that a user may mean: those on PATH, the active environment, and environments nearby."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

NAME = re.compile(r"python([23](\.\d+)?)?")
DEPTH = 2
"""Levels of folders in which environments are searched, as `.envs/theano`."""
MOST = 40
"""The most interpreters that are probed."""


def nearby(given: Iterable[str], own: str, env: Mapping[str, str], folder: Path) -> tuple[str, ...]:
    """Paths of interpreters, the given ones first, then ours; each path once."""
    found = [*given, own, *_active(env), *_below(folder, DEPTH), *_below(_home(env) / ".virtualenvs", 1), *on_path(env)]
    return tuple(dict.fromkeys(_place(p) for p in found))[:MOST]


def on_path(env: Mapping[str, str]) -> Iterator[str]:
    """`python`, `python3`, `python3.8` ... in the folders of PATH."""
    for folder in env.get("PATH", "").split(os.pathsep):
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        yield from (path for n in names if NAME.fullmatch(n) and os.access(path := os.path.join(folder, n), os.X_OK))


def _active(env: Mapping[str, str]) -> Iterator[str]:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if env.get(name):
            yield from _python_of(Path(env[name]))


def _below(folder: Path, depth: int) -> Iterator[str]:
    """The interpreters of environments at most `depth` levels below `folder`."""
    try:
        children = sorted(p for p in folder.iterdir() if p.is_dir() and not p.is_symlink())
    except OSError:
        return
    for child in children:
        if (child / "pyvenv.cfg").exists() or (child / "conda-meta").exists():
            yield from _python_of(child)
        elif depth > 1:
            yield from _below(child, depth - 1)


def _python_of(environment: Path) -> Iterator[str]:
    python = environment / "bin" / "python"
    if os.access(python, os.X_OK):
        yield str(python)


def _home(env: Mapping[str, str]) -> Path:
    return Path(env.get("HOME", "/nonexistent"))


def _place(path: str) -> str:
    """The path with symbolic links in its folder resolved, but not the file's own: that may be an environment's link to another
    interpreter.
    """
    folder, name = os.path.split(os.path.abspath(path)) if os.sep in path else ("", path)
    return os.path.join(os.path.realpath(folder), name) if folder else name
