"""Names a function that was given no name after the Python variable to which the script assigns it."""

import ast
import io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live


def name_of(site: "dict[str, Live] | None") -> "str | None":
    """The name assigned to at `site`, or of the Python function that returns there; None where neither is the case."""
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
    """The last statement that starts at or before `line` (CPython < 3.8 does not tell where a statement ends)."""
    best = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line and (best is None or node.lineno >= best.lineno):
            best = node
    return best
