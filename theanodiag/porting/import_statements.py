"""Reads the parts of import statements, and tells whether the source can continue if an import fails."""

from __future__ import annotations

import re

from .syntax import Node, dotted, enclosing_tries, listed, symbols


def imported_module(statement: Node) -> str:
    """Returns the module of `from module import ...` as written, with the leading dots of a relative import."""
    parts = []
    for child in statement.children[1:]:
        if not child.children and child.value == "import":
            break
        parts.append(dotted(child))
    return "".join(parts)


def _imported(statement: Node) -> list[Node]:
    """The nodes after `import` in an import statement, without parentheses and commas."""
    at = next(n for n, c in enumerate(statement.children) if not c.children and c.value == "import") + 1
    parts = [c for c in statement.children[at:] if c.children or c.value not in "()"]
    sym = symbols()
    kinds = (sym.import_as_names, sym.dotted_as_names)
    return [part for node in parts for part in (listed(node, node.type) if node.type in kinds else [node])]


def from_names(statement: Node) -> list[tuple[str, str, Node]]:
    """Returns (name, local name, node) of each part of `from module import name as local, ...`."""
    entries = []
    for part in _imported(statement):
        old = part.children[0].value if part.children else part.value
        entries.append((old, part.children[2].value if part.children else old, part))
    return entries


def import_names(statement: Node) -> list[tuple[str, str, Node]]:
    """Returns (dotted name, alias or `''`, node) of each part of `import name as alias, ...`."""
    entries = []
    for part in _imported(statement):
        entries.append((dotted_module(part), part.children[2].value if has_alias(part) else "", part))
    return entries


def has_alias(part: Node) -> bool:
    """Returns whether a part of `import a.b as c, d` has an `as`."""
    return bool(part.children) and part.type == symbols().dotted_as_name


def dotted_module(part: Node) -> str:
    """Returns the dotted module name in a part of `import a.b as c, d`."""
    return dotted(part.children[0] if has_alias(part) else part)


LACKING = re.compile(r"\b(?:ImportError|ModuleNotFoundError|AttributeError)\b")
"""Exceptions that a missing module or name raises."""
_ANY = re.compile(r"^\s*except(?:\s+(?:Base)?Exception\b.*)?\s*$", re.DOTALL)


def is_optional(statement: Node) -> bool:
    """Returns whether the source continues if this import fails: it is in a `try` that handles the exception, or every exception."""
    return may_fail(statement, LACKING, _ANY)


def may_fail(node: Node, *handlers: re.Pattern[str]) -> bool:
    """Returns whether a node is inside a `try` statement with an `except` clause that matches one of the given patterns."""
    clauses = (str(child) for statement in enclosing_tries(node) for child in statement.children)
    return any(pattern.search(clause) for clause in clauses if clause.lstrip().startswith("except") for pattern in handlers)


def is_in_function(node: Node) -> bool:
    """Returns whether a node is in the body of a function."""
    while node is not None and node.type != symbols().funcdef:
        node = node.parent
    return node is not None
