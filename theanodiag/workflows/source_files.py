"""Lists the files of a repository, each once, except those excluded by `.gitignore` files or the user."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import files
from ..compat.running.python2 import read
from ..errors import UnreadableError, UsageError
from ..porting.syntax import Tree
from ..scanned_files import model
from ..scanned_files.model import SourceKind

# The modules that a script imports from its folder (some are Python 2).


def own_modules(script: Path) -> Iterator[tuple[Path, ast.Module | None]]:
    """Yields `script` and the modules that it imports from its folder, nearest first, with their syntax trees; None in place of the tree if
    Python 3 cannot parse the file.

    Imports within functions, `try` and `if` are left out, because a program can run without them.
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
    """Returns the first file that only Python 2 can parse, among `script` and the modules that it imports from its folder; None if there is
    none.
    """
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


LEFT_OUT = frozenset(("__pycache__", "node_modules", "site-packages", ".git", ".hg", ".svn", ".tox", ".nox", ".venv"))
"""Names of folders whose files do not belong to the repository."""
_FIRST = 200
"""Maximum length of a `#!` line, in bytes."""


@dataclass(frozen=True)
class Candidate:
    """A file considered by a scan."""

    path: str
    """Path with which the file can be opened."""
    shown: str
    """Path relative to the working folder, with forward slashes."""
    kind: SourceKind | None
    """Its kind; None if the file could not be opened."""
    reason: str = ""
    """Why it cannot be read; empty if it can."""


def candidates(paths: Sequence[str], exclude: Sequence[str] = ()) -> Iterator[Candidate]:
    """Yields each file once, in the order of the paths and of names. Symbolic links to folders are not followed.

    `exclude` are patterns as in `.gitignore`, relative to each path. A file that is given itself is always scanned. Raises
    `UnreadableError` for a path that does not exist.
    """
    seen: set[tuple[int, int]] = set()
    for path in paths:
        if not os.path.lexists(path):
            raise UnreadableError("no such file or folder", path=path, help="name a file, or a folder with sources")
        entries = _below(path, _matcher(list(exclude))) if os.path.isdir(path) else iter((path,))
        for entry in entries:
            candidate = entry if isinstance(entry, Candidate) else _candidate(entry, named=entry == path)
            if candidate is None:
                continue
            try:
                at = os.stat(candidate.path)
            except OSError:
                at = None
            if at is not None and (at.st_dev, at.st_ino) in seen:
                continue
            if at is not None:
                seen.add((at.st_dev, at.st_ino))
            yield candidate


def _candidate(path: str, named: bool) -> Candidate | None:
    name, shown = os.path.basename(path), _shown(path)
    kind = model.by_name(name)
    if kind is None and (named or model.may_be_script(name)):
        try:
            kind = model.by_first_bytes(files.head(path, _FIRST))
        except OSError as error:
            return Candidate(path, shown, SourceKind.PYTHON, f"cannot be read: {error.strerror}") if named else None
        kind = kind or (SourceKind.PYTHON if named else None)
    return None if kind is None else Candidate(path, shown, kind)


def _shown(path: str) -> str:
    inside = os.path.relpath(path)
    return (path if inside.startswith(os.pardir) else inside).replace(os.sep, "/")


def _below(top: str, excluded: Any) -> Iterator[str | Candidate]:
    """The paths of all files below a folder that no pattern leaves out."""
    rules: dict[str, list[tuple[str, Any]]] = {top: [(top, excluded)] if excluded is not None else []}
    refused: list[OSError] = []
    for here, folders, names in os.walk(top, onerror=refused.append):
        for error in refused:
            place = str(error.filename)
            yield Candidate(place, _shown(place), SourceKind.PYTHON, f"this folder cannot be read: {error.strerror}")
        refused.clear()
        held = rules.pop(here, [])
        if ".gitignore" in names and (own := _gitignore(os.path.join(here, ".gitignore"))) is not None:
            held = [*held, (here, own)]
        folders[:] = sorted(f for f in folders if f not in LEFT_OUT and not _left_out(os.path.join(here, f) + "/", held))
        rules.update((os.path.join(here, f), held) for f in folders)
        yield from (path for name in sorted(names) if not _left_out(path := os.path.join(here, name), held))
    for error in refused:
        place = str(error.filename)
        yield Candidate(place, _shown(place), SourceKind.PYTHON, f"this folder cannot be read: {error.strerror}")


def _left_out(path: str, held: Sequence[tuple[str, Any]]) -> bool:
    """Whether a path is ignored by the innermost `.gitignore` with a pattern that matches it."""
    for folder, spec in reversed(held):
        include = spec.check_file(path[len(folder) :].lstrip("/")).include
        if include is not None:
            return bool(include)
    return False


def _gitignore(path: str) -> Any:
    try:
        text = files.read_plain(path, files.CONFIGURATION).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
    return _matcher(text.splitlines())


def _matcher(patterns: list[str]) -> Any:
    """An object that matches paths against patterns as git does; None without patterns."""
    patterns = [p for p in patterns if p.strip() and not p.startswith("#")]
    if not patterns:
        return None
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise UsageError(f"not a pattern as in .gitignore: {error}", help="such as --exclude 'old/' --exclude '*_test.py'") from None
