"""The user's interpreter: its path, version, and the hook's files in a form that it can load."""

from __future__ import annotations

import ast
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import UnreadableError
from . import group

_PROBE = "import sys; sys.stdout.write('theanodiag %d.%d.%d' % sys.version_info[:3])"
_HELP = "--python takes the path or the name of the interpreter that runs the script, such as /envs/theano/bin/python"
PACKAGE = Path(__file__).resolve().parents[1]
"""The folder of the package theanodiag."""
AGENT = PACKAGE / "agent"
"""The folder of everything that runs in the user's interpreter."""
OLDER_NAMES = ("__init__.py", "install.py", "old_names.py")
"""The files of compat that restore Theano's older names; the only ones that CPython 2.7 can load."""


@dataclass(frozen=True)
class Interpreter:
    """An interpreter that was started successfully."""

    path: str
    version: tuple[int, int, int]

    @property
    def hook(self) -> Path:
        """Path of the hook's main file in our package."""
        return AGENT / "hook" / "hook.py"


STARTS_WITHIN = (5.0, 60.0)
"""Seconds that an interpreter gets to start: at least the first, for a busy machine, and at most the second, for a slow network disk."""


def find(name: str, env: Mapping[str, str], limit: float | None = None) -> Interpreter:
    """Finds the interpreter `name`, a path or a name on PATH. It has `limit` seconds to start, within `STARTS_WITHIN`.

    Raises UnreadableError if it does not exist, is not Python, is too old, or does not start in time.
    """
    path = shutil.which(name, path=env.get("PATH"))
    if path is None:
        raise UnreadableError(_why_missing(name), path=name, help=_HELP)
    least, most = STARTS_WITHIN
    seconds = most if limit is None else max(least, min(limit, most))
    command = [os.path.abspath(path), "-S", "-E", "-c", group.CLEAN + _PROBE]
    try:
        done = group.query(command, env, seconds)
    except OSError as error:
        raise UnreadableError(f"the interpreter does not run: {error.strerror or error}", path=name, help=_HELP) from None
    words = done.stdout.decode("utf-8", "replace").split()
    if done.returncode or len(words) != 2 or words[0] != "theanodiag":
        raise UnreadableError("this is not a Python interpreter", path=name, help=_HELP)
    major, minor, micro = map(int, words[1].split("."))
    return Interpreter(command[0], _supported(name, (major, minor, micro)))


def _why_missing(name: str) -> str:
    if os.path.isdir(name):
        return "the interpreter is a directory"
    if os.path.exists(name):
        return "the interpreter may not be executed"
    return "no such interpreter"


def _supported(name: str, version: tuple[int, int, int]) -> tuple[int, int, int]:
    if version[:2] == (2, 7) or version >= (3, 5):
        return version
    text = ".".join(map(str, version))
    raise UnreadableError(f"the interpreter must be CPython 2.7, or 3.5 or later; this is {text}", path=name, help=_HELP)


class _Plain(ast.NodeTransformer):
    """Removes annotations of functions and imports from typing, for CPython 2.7."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        return ast.Pass() if node.module == "typing" else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node


def without_annotations(source: str) -> str:
    """Returns a copy of the program `source` without annotations, so that CPython 2.7 can run it."""
    return "# -*- coding: utf-8 -*-\n" + ast.unparse(_Plain().visit(ast.parse(source))) + "\n"


def beside(hook: Path, path: Path) -> Path:
    """Returns the path from which the hook loads the file `path` of our package: `path` itself, or for CPython 2.7 a converted copy."""
    return hook.parents[2] / path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path


def hook_for(interpreter: Interpreter, folder: Path) -> Path:
    """Returns the path of the hook to start: our own file, or for CPython 2.7 a converted copy below `folder`, together with all files that
    it loads.
    """
    if interpreter.version[0] > 2:
        return interpreter.hook
    for path in (*sorted(AGENT.rglob("*.py")), *(PACKAGE / "compat" / name for name in OLDER_NAMES)):
        copy = folder / path.relative_to(PACKAGE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(without_annotations(path.read_text(encoding="utf-8")), encoding="utf-8")
    return folder / interpreter.hook.relative_to(PACKAGE)
