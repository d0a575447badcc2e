"""The modules that a script imports from its folder (some are Python 2)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from ..compat.running.python2 import read
from ..errors import UnreadableError
from ..porting.syntax import Tree


def own_modules(script: Path) -> Iterator[tuple[Path, ast.Module | None]]:
    """Yields `script` and the modules that it imports from its folder, nearest first, with their syntax trees; None for files that
    Python 3 cannot parse.

    Imports within functions, `try` and `if` are left out: a program can do without those.
    """
    root = script.parent
    waiting, seen = [script], {script}
    while waiting:
        path = waiting.pop(0)
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            yield path, None
            continue
        except OSError:
            continue
        yield path, tree
        for imported in _imported(tree, path, root):
            if imported not in seen:
                seen.add(imported)
                waiting.append(imported)


def first_python2(script: Path) -> Path | None:
    """The first file that only Python 2 can parse, among `script` and the modules it imports from its folder; None if there is none."""
    return next((path for path, tree in own_modules(script) if tree is None and _is_read_by_python2(path)), None)


def _is_read_by_python2(path: Path) -> bool:
    try:
        return Tree(read(path.read_bytes()), str(path)).python == 2
    except UnreadableError:
        return False


def _imported(tree: ast.Module, path: Path, root: Path) -> Iterator[Path]:
    """Files below `root` that the statements of the module `path` import."""
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                yield from _files(alias.name, (path.parent, root))
        elif isinstance(statement, ast.ImportFrom):
            beside = path.parents[statement.level - 1] if 0 < statement.level <= len(path.parents) else None
            starts = (path.parent, root) if beside is None else (beside,)
            name = statement.module or ""
            if name:
                yield from _files(name, starts)
            for alias in statement.names:
                yield from _files(".".join(filter(None, [name, alias.name])), starts)


def _files(name: str, starts: tuple[Path, ...]) -> Iterator[Path]:
    """The source files of module `name` and of the packages that hold it, below the first of `starts` that has it."""
    for start in starts:
        place, files = start, []
        for part in name.split("."):
            place = place / part
            files += [p for p in (place.with_suffix(".py"), place / "__init__.py") if p.is_file()]
        if files:
            yield from files
            return
