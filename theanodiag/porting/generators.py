"""Generators of Python 2, translated: a StopIteration that leaves one ended it; since CPython 3.7 it is an error."""

from __future__ import annotations

import ast

from ..compat.running import generators as old
from .list_comprehensions import Places, parsed
from .model import CODES, Change, PortEdit, Safety, applied
from .syntax import Node, Tree, symbols

_REASON = "in Python 2 a StopIteration that leaves a generator ends it; since Python 3.7 it is an error"


def translated(text: str, original: Tree) -> tuple[str, tuple[Change, ...]]:
    """Translates a source to Python 3 with fissix, and replaces `raise StopIteration` in generators by `return`. Returns the new source and
    the changes.
    """
    module = parsed(text) if "StopIteration" in text or "next" in text else None
    if module is None:
        return text, ()
    places = Places(text)
    theirs = [node for node in original.root.pre_order() if node.type == symbols().raise_stmt]
    ours = sorted((node for node in ast.walk(module) if isinstance(node, ast.Raise)), key=lambda node: (node.lineno, node.col_offset))
    edits, changes = [], []
    for statement in old.raises(module):
        edits.append(PortEdit(*places.of(statement), "return"))
        node = theirs[ours.index(statement)] if len(ours) == len(theirs) else original.root.children[0]
        changes.append(Change(original.span(node), "StopIteration", Safety.SAFE, _REASON, "return", CODES[Safety.SAFE]))
    for name in old.open_generators(module):
        place = original.span(_defined(original, name))
        advice = "write next(x, None), or a try around it"
        changes.append(Change(place, "next", Safety.BY_HAND, f"{_REASON}: next(x) in {name}", advice, CODES[Safety.BY_HAND]))
    return applied(text, edits), tuple(changes)


def _defined(tree: Tree, name: str) -> Node:
    """The name of a function where it is defined; the first token if it is not found."""
    for leaf in tree.leaves:
        if leaf.value == name and leaf.parent.type == symbols().funcdef:
            return leaf
    return tree.root.children[0]
