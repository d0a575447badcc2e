"""List comprehensions of Python 2, translated: they leave their names behind, and in the body of a class they see its names."""

from __future__ import annotations

import ast
import builtins
import re
import warnings
from collections.abc import Iterator

from ..compat.running import list_comprehensions as old
from ..errors import line_starts
from .model import CODES, Change, PortEdit, Safety, applied
from .syntax import Node, Tree, symbols

_MAY_HAVE = re.compile(r"\[[^#\n]*\bfor\b|^[ \t]*for\b[^#\n:]*\]", re.M)
_CLOSED = re.compile(r"(?:\s|#[^\n]*\n|\\\n)*\)")
"""A parenthesis after an expression, whose end is before it in the tree of Python."""


def translated(text: str, original: Tree) -> tuple[str, tuple[Change, ...]]:
    """Translates a source to Python 3 with fissix, but keeps the list comprehensions of the `original`. Returns the new source and the
    changes.
    """
    module = parsed(text) if _MAY_HAVE.search(text) else None
    if module is None:
        return text, ()
    places = Places(text)
    kept, in_classes = old.find(module), old.in_classes(module)
    edits: list[PortEdit] = []
    changes: list[Change] = []
    ours = _ordered(module)
    theirs = list(nodes(original))
    for leak in kept:
        node = _counterpart(leak.comprehension, ours, theirs, original)
        names = ", ".join(sorted(leak.names))
        safety = Safety.SAFE if leak.writable else Safety.BY_HAND
        reason = f"in Python 2 a list comprehension keeps {names} for what follows"
        changes.append(_told(original, node, safety, reason, "bound with :=" if leak.writable else "write a loop"))
        if leak.writable:
            edits += places.bindings(leak)
    for comprehension, given in in_classes:
        words = ", ".join(given)
        start, end = places.of(comprehension)
        edits += [PortEdit(start, start, f"(lambda {words}: "), PortEdit(end, end, f")({words})")]
        node = _counterpart(comprehension, ours, theirs, original)
        reason = f"in Python 3 a list comprehension does not see {words} of the class around it"
        changes.append(_told(original, node, Safety.SAFE, reason, "given to a function"))
    return applied(text, edits), tuple(changes)


def sign(tree: Tree) -> Iterator[tuple[Node, str]]:
    """Returns (list comprehension, names) of each list comprehension that leaves names behind which nothing else in the source binds. Only
    Python 2 runs such a source.
    """
    module = parsed(tree.text) if _MAY_HAVE.search(tree.text) else None
    if module is None or any(isinstance(node, ast.NamedExpr) for node in ast.walk(module)):
        return
    kept = old.find(module)
    if not kept:
        return
    bound = _bound_elsewhere(module)
    ours, theirs = _ordered(module), list(nodes(tree))
    for leak in kept:
        names = leak.names - bound
        if names and "*" not in bound:
            yield _counterpart(leak.comprehension, ours, theirs, tree), ", ".join(sorted(names))


def _bound_elsewhere(module: ast.Module) -> set[str]:
    """The names that a source binds, other than in list comprehensions, and the built-in ones; `*` for an import of everything."""
    bound = set(vars(builtins))
    inside: set[int] = set()
    for node in ast.walk(module):  # a comprehension comes before what is in it
        if isinstance(node, ast.ListComp):
            inside.update(id(name) for generator in node.generators for name in ast.walk(generator.target))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in inside:
            bound.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)):
            bound.add(node.name or "")
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.partition(".")[0])
    return bound


def nodes(tree: Tree) -> Iterator[Node]:
    """Yields the list comprehensions of a tree of fissix, in order."""
    sym = symbols()
    for node in tree.root.pre_order():
        if node.type == sym.listmaker and any(child.type == sym.comp_for for child in node.children):
            yield node.parent


def parsed(text: str) -> ast.Module | None:
    """Returns the tree of a source of Python 3; None for other sources."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _ordered(module: ast.Module) -> list[ast.ListComp]:
    found = [node for node in ast.walk(module) if isinstance(node, ast.ListComp)]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def _counterpart(comprehension: ast.ListComp, ours: list[ast.ListComp], theirs: list[Node], original: Tree) -> Node:
    """The comprehension in the original source; its first token if they cannot be paired."""
    return theirs[ours.index(comprehension)] if len(ours) == len(theirs) else original.root.children[0]


def _told(tree: Tree, node: Node, safety: Safety, reason: str, advice: str) -> Change:
    return Change(tree.span(node), "list comprehension", safety, reason, advice, CODES[safety])


class Places:
    """Where the nodes of Python's tree are in a text."""

    def __init__(self, text: str) -> None:
        self.text, self.starts = text, line_starts(text)

    def _at(self, line: int, column: int) -> int:
        start = self.starts[line - 1]
        if self.text.isascii():
            return start + column
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        return start + len(self.text[start:end].encode()[:column].decode())

    def of(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Returns (start, end) of a node."""
        return self._at(node.lineno, node.col_offset), self._at(node.end_lineno or 0, node.end_col_offset or 0)

    def bindings(self, leak: old.LeakedNames) -> Iterator[PortEdit]:
        """Returns the edits that change `[f(x) for x in xs]` to `[f(x) for x_ in xs if [x := x_]]`, whose condition is always true."""
        for generator in leak.comprehension.generators:
            bound = []
            for node in ast.walk(generator.target):
                if isinstance(node, ast.Name) and node.id in leak.names:
                    start, end = self.of(node)
                    new = self._new(node.id)
                    yield PortEdit(start, end, new)
                    bound.append(f"{node.id} := {new}")
            if bound:
                _, end = self.of(generator.iter)
                while closed := _CLOSED.match(self.text, end):
                    end = closed.end()
                yield PortEdit(end, end, f" if [{', '.join(bound)}]")

    def _new(self, name: str) -> str:
        """A name that the text does not have."""
        name += "_"
        while re.search(rf"\b{name}\b", self.text):
            name += "_"
        return name
