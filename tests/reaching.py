"""Which test files can reach a real framework: the others tell the same whether one is there or not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
DOORS = {TESTS / "interpreters.py"}
"""What hands out interpreters."""
VARIABLE = "THEANODIAG_"
"""A file that reads such a variable of the environment is a door itself."""


def _imported(path: Path, tree: ast.AST) -> Iterator[Path]:
    """Files of the tests that a file may import."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        parts = (node.module or "").split(".") if node.module else []
        if node.level:
            base = path.parents[node.level - 1]
        elif parts[:1] == ["tests"]:
            base, parts = TESTS, parts[1:]
        else:
            continue
        module = base.joinpath(*parts)
        yield module.with_suffix(".py")
        yield from (module / f"{alias.name}.py" for alias in node.names)


def _conftests(path: Path) -> Iterator[Path]:
    """Files with fixtures for a test file, but not the one of all tests."""
    for folder in path.parents:
        if folder == TESTS:
            return
        yield folder / "conftest.py"


@cache
def reaches(path: Path) -> bool:
    """Whether a file of the tests, or one that it imports, asks for an interpreter; False where there is no such file."""
    if path in DOORS:
        return True
    if not path.is_file():
        return False
    text = path.read_text(encoding="utf-8")
    if VARIABLE in text:
        return True
    near = [*_imported(path, ast.parse(text)), *(_conftests(path) if path.name.startswith("test_") else ())]
    return any(reaches(found) for found in near if found != path)
