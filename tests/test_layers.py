"""The import order of the package: what may import what, and who may touch the outside world."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from theanodiag.processes.interpreter import AGENT

PACKAGE = Path(__file__).parents[1] / "theanodiag"
LAYERS = (
    "escaping+version+gc_pause+unknown+compat+legacy+agent", "errors+units+result_display", "files", "ir+chunked", "ops",
    "findings+devices", "attempts+readers+printed+shapes+flags+settings",
    "memory", "engines+samplers", "plans+logs+porting+weights", "rules", "scanned_files", "processes", "capture", "probe",
    "confirmation+comparison", "doctor", "report", "requests", "workflows", "jobs+dependencies", "api+pytest_plugin", "cli",
    "__init__+__main__",
)  # fmt: skip
RANK = {part: rank for rank, group in enumerate(LAYERS) for part in group.split("+")}
OUTSIDE = {"subprocess", "socket", "tempfile", "shutil", "multiprocessing", "signal", "ctypes"}
MAY_TOUCH_THE_OUTSIDE = {"agent", "processes", "capture", "compat", "confirmation", "probe", "workflows", "jobs", "cli"}
REGISTRIES = {
    "__init__.py", "legacy.py", "cli/parameters.py", "report/formats.py", "report/listings/__init__.py",
}  # fmt: skip
"""What imports modules of ours by name: lists of names, each with its module, one of which is imported when it is asked for."""
INSIDE_THE_USERS_INTERPRETER = (AGENT.name, "compat")


def modules() -> list[Path]:
    """Every file of the package."""
    found = sorted(PACKAGE.rglob("*.py"))
    assert len(found) > 50
    return found


@cache
def tree(path: Path) -> ast.Module:
    """A file, parsed."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path: Path) -> tuple[tuple[str, ...], ...]:
    """Dotted names that a file imports, as tuples, relative ones made absolute."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[tuple[str, ...]]:
    yield from _names(path, ast.walk(tree(path)))


def _names(path: Path, nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ...]]:
    here = ("theanodiag", *path.relative_to(PACKAGE).with_suffix("").parts)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level] if node.level else ()
            whole = (*base, *(node.module or "").split(".")) if node.module else base
            yield from ((*whole, alias.name) for alias in node.names)


def _run(module: ast.Module) -> Iterator[ast.AST]:
    """The statements of a module and of its functions, but for what only a type checker reads."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        yield node
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            waiting += (child for child in ast.iter_child_nodes(node) if isinstance(child, (ast.stmt, ast.excepthandler)))


def name_of(path: Path) -> tuple[str, ...]:
    """The dotted name of a module or package."""
    parts = ("theanodiag", *path.relative_to(PACKAGE).with_suffix("").parts)
    return parts[:-1] if parts[-1] == "__init__" else parts


def part_of(path: Path) -> str:
    """The folder or file right below the package."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def test_every_part_has_a_rank() -> None:
    """Imports to and from a part without one would pass unseen; and no rank is left of a part that is gone."""
    assert {part_of(path) for path in modules()} == RANK.keys()


def test_imports_go_only_to_lower_layers() -> None:
    """A part imports itself and what stands left of it, never a sibling or what stands right."""
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {'.'.join(name)}"
        for path in modules()
        for name in imported(path)
        if name[0] == "theanodiag" and len(name) > 1 and name[1] != part_of(path) and RANK[name[1]] >= RANK[part_of(path)]
    ]
    assert wrong == []


def test_only_the_outer_layers_touch_processes_and_devices() -> None:
    """Everything else is pure, and tested without them."""
    inner = [path for path in modules() if part_of(path) not in MAY_TOUCH_THE_OUTSIDE]
    assert [(path, name) for path in inner for name in imported(path) if name[0] in OUTSIDE] == []


def test_print_stands_only_in_the_command_line() -> None:
    """Reports are text that is returned; only `cli` prints."""
    calls = [(path, n) for path in modules() if part_of(path) != "cli" for n in ast.walk(tree(path)) if isinstance(n, ast.Call)]
    assert [path for path, n in calls if isinstance(n.func, ast.Name) and n.func.id == "print"] == []


def test_no_circle_of_imports() -> None:
    """Within a part neither, nor by way of imports inside of functions."""
    names = {name_of(path): path for path in modules()}
    graph = {}
    for name, path in names.items():
        found = [n if n in names else n[:-1] for n in _names(path, _run(tree(path))) if len(n) > 1]
        graph[name] = {n for n in found if n in names and n != name}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


def test_only_registries_import_by_name() -> None:
    """The tests of imports see none of those; what is not ours may be imported so."""
    ours = re.compile(r"__(name|package)__|_COMPAT|_API|_MODULES|_real|['\"](theanodiag)?\.")
    files = {
        path.relative_to(PACKAGE).as_posix()
        for path in modules()
        if part_of(path) not in INSIDE_THE_USERS_INTERPRETER
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and "import_module" in (getattr(node.func, "attr", ""), getattr(node.func, "id", ""))
        and ours.search(ast.unparse(node))
    }
    assert files == REGISTRIES


@pytest.mark.parametrize("folder", INSIDE_THE_USERS_INTERPRETER)
def test_files_for_the_users_interpreter_import_nothing_of_ours(folder: str) -> None:
    """They are loaded by path where theanodiag is not installed."""
    files = sorted((PACKAGE / folder).rglob("*.py"))
    assert files
    assert not [(f, name) for f in files for name in imported(f) if name[0] == "theanodiag" and name[1:2] != (folder,)]


@pytest.mark.parametrize("folder", INSIDE_THE_USERS_INTERPRETER)
def test_nor_do_they_name_another_part_of_ours(folder: str) -> None:
    """In strings neither, by which modules are imported too: they are loaded by their path. A script may import compat."""
    other = re.compile(r"theanodiag\.(?:{})\b".format("|".join(RANK.keys() - {folder, "compat", "legacy"})))
    strings = [
        (path, node.value)
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and other.search(node.value)
    ]
    assert strings == []
