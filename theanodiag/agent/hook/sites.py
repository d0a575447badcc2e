"""Information from the user's source at a call: its place, the variable assigned to, and whether the result is used."""

import ast
import linecache
import opcode
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from .. import Live


OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
"""The folder of theanodiag, or of the copy that CPython 2.7 reads."""
STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
"""The folder of the standard library."""
INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
"""Parts of paths of installed packages."""


def installed(path: str) -> bool:
    """Whether a source file belongs to the standard library or to an installed package."""
    return path.startswith((STANDARD, "<")) or any(part in path for part in INSTALLED)


class Sites(object):
    """Finds places in the user's source; `skip` has the folders of the frameworks and of theanodiag."""

    def __init__(self) -> None:
        self.skip = (OURS,)  # type: tuple[str, ...]

    def add(self, folder: str) -> None:
        """Adds a framework's folder to `skip`."""
        self.skip = self.skip + (folder.rstrip(os.sep) + os.sep,)

    def here(self) -> "dict[str, object] | None":
        """The innermost frame in the user's files; if there is none, the library's frame nearest to the framework (Keras, Lasagne)."""
        frame, nearest = sys._getframe(1), None
        while frame is not None:
            path = frame.f_code.co_filename
            if not path.startswith(self.skip) and not path.startswith("<frozen"):
                if not installed(path):
                    return self._site(path, frame.f_lineno, frame.f_code.co_name)
                nearest = nearest or (path, frame.f_lineno, frame.f_code.co_name)
            frame = frame.f_back  # type: ignore[assignment]
        return self._site(*nearest) if nearest else None

    @staticmethod
    def _site(path: str, line: int, function: str) -> "dict[str, object]":
        code = linecache.getline(path, line).strip()
        return {"path": path, "line": line, "function": None if function == "<module>" else function, "code": code or None}


def name_of(site: "dict[str, Live] | None") -> "str | None":
    """The name to which the statement at `site` assigns, or the name of the Python function that returns there; else None."""
    if site is None:
        return None
    try:
        tree = ast.parse("".join(linecache.getlines(site["path"])))
    except (SyntaxError, ValueError):
        return None
    statement = innermost(tree, site["line"])
    for target in getattr(statement, "targets", []):
        if isinstance(target, (ast.Name, ast.Attribute)):
            return str(target.id if isinstance(target, ast.Name) else target.attr)
    return site["function"] if isinstance(statement, ast.Return) else None


def innermost(tree: "Live", line: int) -> "Live":
    """The last statement that starts at or before `line` (CPython < 3.8 does not store where a statement ends)."""
    best = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line and (best is None or node.lineno >= best.lineno):
            best = node
    return best


POP_TOP = opcode.opmap["POP_TOP"]
"""The instruction that discards the value on top of the stack."""
CACHE = opcode.opmap.get("CACHE", -1)
"""Inline cache entries, which are skipped (CPython 3.11 and later)."""


def next_opcode(frame: "FrameType") -> int:
    """The opcode after the instruction that `frame` is executing; -1 if there is none."""
    code, at = bytearray(frame.f_code.co_code), frame.f_lasti
    if at < 0:
        return -1
    if sys.version_info >= (3, 6):
        at += 2
        while at < len(code) and code[at] == CACHE:
            at += 2
    else:
        at += 3 if code[at] >= opcode.HAVE_ARGUMENT else 1
    return code[at] if at < len(code) else -1


def thrown_away(skip: "tuple[str, ...]") -> bool:
    """Whether the innermost frame outside the folders `skip` discards the value that its call returns."""
    frame = sys._getframe(1)  # type: FrameType | None
    while frame is not None and frame.f_code.co_filename.startswith(skip):
        frame = frame.f_back
    return frame is not None and next_opcode(frame) == POP_TOP
