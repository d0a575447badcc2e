"""A name for a function that was given none: that of the Python variable to which the script assigns it."""

import ast
import io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live


def name_of(site: "dict[str, Live] | None") -> "str | None":
    """The target of the assignment at `site`, or the Python function around it."""
    if site is None:
        return None
    try:
        with io.open(site["path"], "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, IOError, SyntaxError, ValueError):
        return None
    statement = innermost(tree, site["line"])
    for target in getattr(statement, "targets", []):
        if isinstance(target, (ast.Name, ast.Attribute)):
            return str(target.id if isinstance(target, ast.Name) else target.attr)
    return site["function"] if isinstance(statement, ast.Return) else None


def innermost(tree: "Live", line: int) -> "Live":
    """The last statement that starts at or before `line` (CPython < 3.8 has no line of the end)."""
    best = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line and (best is None or node.lineno >= best.lineno):
            best = node
    return best
