"""Which files of a tree a source imports, told from its text."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

from ..errors import TheanodiagError
from .syntax import Tree, dotted, listed, statements, symbols


def imported(text: str, path: str, files: Collection[str]) -> frozenset[str]:
    """Those of `files` that the source `path` imports: looked for beside it, as Python does for a script, and in the folders above it."""
    try:
        tree = Tree(text, path)
    except TheanodiagError:
        return frozenset()
    here = os.path.dirname(path)
    found: set[str] = set()
    for level, name in (pair for node in statements(tree.root) for pair in _names(node)):
        folder = here
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        starts = [folder] if level else list(_above(folder))
        found.update(_reached(name.split(".") if name else [], starts, files))
    return frozenset(found - {path})


def _names(node: object) -> Iterator[tuple[int, str]]:
    """(leading dots, dotted name) of each module that an import statement may load: `from a import b` loads `a`, and `a.b` if it is one."""
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
    """The folder, and those above it."""
    while folder:
        yield folder
        if os.path.dirname(folder) == folder:
            return
        folder = os.path.dirname(folder)


def _reached(parts: list[str], starts: list[str], files: Collection[str]) -> Iterator[str]:
    """The files that loading a module runs: its own, and those of the packages that it is in."""
    for start in starts:
        base = os.path.join(start, *parts)
        ends = [base + ".py", os.path.join(base, "__init__.py")]
        if any(end in files for end in ends):
            for n in range(1, len(parts)):
                ends.append(os.path.join(start, *parts[:n], "__init__.py"))
            yield from (end for end in ends if end in files)
            return
