"""The package is of Python 3.9 on, where `X | Y` is no type: it may stand in annotations, which are not evaluated, and nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from .test_layers import PACKAGE, modules, tree

BUILT_IN = {"bool", "bytes", "dict", "float", "frozenset", "int", "list", "object", "set", "str", "tuple", "type"}


def evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below, but for annotations and what only type checkers read."""
    if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "0", "False"):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from evaluated(child)


def is_type(node: ast.expr) -> bool:
    """Whether an operand of `|` can only be a type: None, a built-in class, something like `list[int]` or `Site`."""
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, ast.Subscript):
        return is_type(node.value)
    return isinstance(node, ast.Name) and (node.id in BUILT_IN or (node.id[0].isupper() and any(c.islower() for c in node.id)))


def unions(module: ast.Module) -> list[int]:
    """Lines on which a type is written as `X | Y` where it is evaluated."""
    found = (n for n in evaluated(module) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.BitOr))
    return [n.lineno for n in found if is_type(n.left) or is_type(n.right)]


def test_no_union_is_evaluated() -> None:
    """An alias such as `Size = int | None` ends the import under Python 3.9."""
    wrong = [f"{path.relative_to(PACKAGE)}:{line}" for path in modules() for line in unions(tree(path))]
    assert wrong == []


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("A = int | None", [1]),
        ("F = Callable[[Site | None], bool]", [1]),
        ("def f(x: int | None) -> str | None: ...\nx: int | None = 1 | 2", []),
        ("flags = re.MULTILINE | re.DOTALL\nd = ONE | {**two}", []),
        ("isinstance(x, list | str)", [1]),
        ("if TYPE_CHECKING:\n    A = int | None", []),
    ],
)
def test_what_counts(source: str, lines: list[int]) -> None:
    """Annotations, flags and dicts do not."""
    assert unions(ast.parse(source)) == lines
