"""Imports of the modules beside a source by their names alone, which Python 2 looks for in its package first."""

from __future__ import annotations

from .edits import Around
from .model import Edit
from .syntax import Node, Tree, dotted, listed, statements, symbols


def implicit(tree: Tree, around: Around) -> list[tuple[Node, tuple[Node, ...]]]:
    """The import statements of which a part is such an import, with these parts; of `from a import b` the module."""
    sym = symbols()
    found: list[tuple[Node, tuple[Node, ...]]] = []
    for statement in statements(tree.root) if around.beside else ():
        if statement.type == sym.import_from:
            if dotted(statement.children[1]) == "__future__" and any(leaf.value == "absolute_import" for leaf in statement.leaves()):
                return []
            parts = [statement.children[1]]
        else:
            parts = listed(statement.children[1], sym.dotted_as_names)
        own = tuple(part for part in parts if _is_beside(_module(part), around))
        if own:
            found.append((statement, own))
    return found


def written(tree: Tree, around: Around) -> list[Edit]:
    """The edits that make each of them one with a dot."""
    edits = []
    for statement, own in implicit(tree, around):
        if statement.type == symbols().import_from:
            start = tree.start(own[0])
            edits.append(Edit(start, start, "."))
            continue
        parts = listed(statement.children[1], symbols().dotted_as_names)
        lines = [line for part in parts for line in (_with_dot(part) if part in own else [f"import {tree.source(part).strip()}"])]
        shared = statement.parent is not None and len(statement.parent.children) > 2
        between = "; " if shared else f"\n{tree.indent(statement)}"
        edits.append(Edit(tree.start(statement), tree.end(statement), between.join(lines)))
    return edits


def _module(part: Node) -> str:
    return dotted(part.children[0]) if part.children and part.type == symbols().dotted_as_name else dotted(part)


def _is_beside(module: str, around: Around) -> bool:
    first = module.partition(".")[0]
    return first in around.beside and first != around.stem


def _with_dot(part: Node) -> list[str]:
    """`import a.b` binds `a` and loads `a.b`."""
    name = _module(part)
    package, _, last = name.rpartition(".")
    if part.children and part.type == symbols().dotted_as_name:
        return [f"from .{package} import {last} as {part.children[2].value}"]
    first = name.partition(".")[0]
    loaded = [f"from .{package} import {last} as {name.replace('.', '_')}"] if package else []
    return [f"from . import {first}", *loaded]
