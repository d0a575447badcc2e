"""Imports of neighbouring files: implicit relative imports of Python 2, and the files of a tree that a source imports."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator

from ..errors import TheanodiagError
from .import_statements import dotted_module, has_alias
from .model import Around, PortEdit
from .syntax import Node, Tree, dotted, listed, statements, symbols


def implicit(tree: Tree, around: Around) -> list[tuple[Node, tuple[Node, ...]]]:
    """Returns (statement, its modules that are imported by an implicit relative import) of each such import; for `from a import b` the
    module is `a`.
    """
    sym = symbols()
    relative: list[tuple[Node, tuple[Node, ...]]] = []
    for statement in statements(tree.root) if around.beside else ():
        if statement.type == sym.import_from:
            if dotted(statement.children[1]) == "__future__" and any(leaf.value == "absolute_import" for leaf in statement.leaves()):
                return []
            parts = [statement.children[1]]
        else:
            parts = listed(statement.children[1], sym.dotted_as_names)
        own = tuple(part for part in parts if _is_beside(dotted_module(part), around))
        if own:
            relative.append((statement, own))
    return relative


def explicit_imports(tree: Tree, around: Around) -> list[PortEdit]:
    """Returns the edits that make each implicit relative import explicit."""
    edits = []
    for statement, own in implicit(tree, around):
        if statement.type == symbols().import_from:
            start = tree.start(own[0])
            edits.append(PortEdit(start, start, "."))
            continue
        parts = listed(statement.children[1], symbols().dotted_as_names)
        lines = [line for part in parts for line in (_with_dot(part) if part in own else [f"import {tree.source(part).strip()}"])]
        shared = statement.parent is not None and len(statement.parent.children) > 2
        between = "; " if shared else f"\n{tree.indent(statement)}"
        edits.append(PortEdit(tree.start(statement), tree.end(statement), between.join(lines)))
    return edits


def _is_beside(module: str, around: Around) -> bool:
    """Whether a module is a file or package in the source's folder, other than the source itself."""
    first = module.partition(".")[0]
    return first in around.beside and first != around.stem


def _with_dot(part: Node) -> list[str]:
    """The explicit relative imports that replace `import a.b`, which binds `a` and loads `a.b`."""
    name = dotted_module(part)
    package, _, last = name.rpartition(".")
    if has_alias(part):
        return [f"from .{package} import {last} as {part.children[2].value}"]
    first = name.partition(".")[0]
    loaded = [f"from .{package} import {last} as {name.replace('.', '_')}"] if package else []
    return [f"from . import {first}", *loaded]


def imported(text: str, path: str, files: Container[str]) -> frozenset[str]:
    """Returns those of the `files` that the source `path` imports. They are searched in its folder, as Python does for a script, and in the
    parent folders. Empty if the source cannot be parsed.
    """
    try:
        tree = Tree(text, path)
    except TheanodiagError:
        return frozenset()
    here = os.path.dirname(path)
    paths: set[str] = set()
    for level, name in (pair for node in statements(tree.root) for pair in _names(node)):
        folder = here
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        starts = [folder] if level else list(_above(folder))
        paths.update(_reached(name.split(".") if name else [], starts, files))
    return frozenset(paths - {path})


def _names(node: object) -> Iterator[tuple[int, str]]:
    """Yields (number of leading dots, dotted name) of each module that an import may load: `from a import b` may load `a` and `a.b`."""
    statement = symbols()
    children = node.children  # type: ignore[attr-defined]
    if node.type == statement.import_name:  # type: ignore[attr-defined]
        for part in listed(children[1], statement.dotted_as_names):
            yield 0, dotted(part.children[0]) if part.type == statement.dotted_as_name else dotted(part)
        return
    at = next(n for n, c in enumerate(children) if not c.children and c.value == "import")
    module = "".join(dotted(c) for c in children[1:at])
    name = module.lstrip(".")
    level = len(module) - len(name)
    yield level, name
    for child in children[at + 1 :]:
        for part in listed(child, statement.import_as_names):
            last = part.children[0].value if part.children else part.value
            if last not in ("*", "(", ")"):
                yield level, f"{name}.{last}" if name else last


def _above(folder: str) -> Iterator[str]:
    """Yields the folder and its parent folders, from the inside out."""
    while folder:
        yield folder
        if os.path.dirname(folder) == folder:
            return
        folder = os.path.dirname(folder)


def _reached(parts: list[str], starts: list[str], files: Container[str]) -> Iterator[str]:
    """Yields the `files` that loading a module runs, from the first of `starts` that has it: the module and the `__init__.py` of its
    packages.
    """
    for start in starts:
        base = os.path.join(start, *parts)
        ends = [base + ".py", os.path.join(base, "__init__.py")]
        if any(end in files for end in ends):
            for n in range(1, len(parts)):
                ends.append(os.path.join(start, *parts[:n], "__init__.py"))
            yield from (end for end in ends if end in files)
            return
