"""Information from the user's source at a call: its place, the names of values, and whether the result is used."""

import ast
import linecache
import opcode
import os
import re
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
"""Path components of folders of installed packages."""


def installed(path: str) -> bool:
    """Returns whether a source file belongs to the standard library or to an installed package."""
    return path.startswith((STANDARD, "<")) or any(part in path for part in INSTALLED)


def is_library(path: str) -> bool:
    """Returns whether a source file belongs to the standard library, to an installed package or to theanodiag."""
    return installed(path) or path.startswith(OURS)


class Sites(object):
    """Finds places in the user's source; `skip` has the folders of the frameworks and of theanodiag."""

    def __init__(self) -> None:
        self.skip = (OURS,)  # type: tuple[str, ...]

    def add(self, folder: str) -> None:
        """Adds a framework's folder to the folders to skip."""
        self.skip = self.skip + (folder.rstrip(os.sep) + os.sep,)

    def here(self) -> "dict[str, object] | None":
        """Returns the place in the user's source that is executing: the innermost frame in the user's files; if there is none, the
        library's frame nearest to the framework (Keras, Lasagne). None if there is neither.
        """
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
    """Returns the name to which the statement at `site` assigns, or the name of the Python function that returns there; else None."""
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
    """Returns the last statement that starts at or before `line` (CPython < 3.8 does not store where a statement ends)."""
    best = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line and (best is None or node.lineno >= best.lineno):
            best = node
    return best


MOST_NAMED = 2000
"""Maximum number of values that are searched for names, in addition to the globals themselves."""
LONGEST = 200
"""Maximum number of elements of a list, or attributes of an instance, that are searched: longer ones are data."""
DEEPEST = 3
"""Maximum number of attributes and indices in an expression that names a value: `net.layers[0].W` has three."""


def names_of(wanted: "list[Live]", skip: "tuple[str, ...]") -> "dict[int, str]":
    """Finds the shortest expressions by which the user's code refers to these values: `W`, `net.W`, `params[2]`. Returns id() of the value
    -> expression.

    The search covers the globals of running modules, the script's first, with attributes of instances of the user's classes and elements of
    lists and tuples; then the variables of running functions, the innermost first. If two modules have the same name, the first module's
    counts. The variable of a loop is used only for a value without another name.
    """
    left, names = {id(value) for value in wanted}, {}  # type: set[int], dict[int, str]
    frames = _modules(skip) if wanted else []
    roots = {}  # type: dict[str, Live]
    order, loops = [], set()  # type: list[str], set[str]
    for frame in frames:
        for text, value in _globals(frame):
            if text not in roots:
                roots[text] = value
                order.append(text)
        loops.update(_loop_variables(frame.f_code.co_filename))
    for in_loop in (False, True):
        _search([(text, roots[text], 0) for text in order if (text in loops) == in_loop], left, names, skip)
    running = sys._getframe(1)  # type: FrameType | None
    while running is not None and left:
        if _is_users(running, skip):
            _search([(text, value, 0) for text, value in _variables(running)], left, names, skip)
        running = running.f_back
    return names


def _search(todo: "list[tuple[str, Live, int]]", left: "set[int]", names: "dict[int, str]", skip: "tuple[str, ...]") -> None:
    """Moves the ids in `left` that are found from these values (expression, value, depth) on to `names`, the nearest first."""
    seen, most = set(), len(todo) + MOST_NAMED  # type: set[int], int
    for text, value, depth in todo:
        if id(value) in left:
            left.remove(id(value))
            names[id(value)] = text
        if not left:
            break
        if depth < DEEPEST and id(value) not in seen and len(todo) < most:
            seen.add(id(value))
            parts = ((part, inside) for part, inside in _parts(value, skip) if id(inside) in left or _inside(inside, skip) is not None)
            todo.extend((text + part, inside, depth + 1) for part, inside in parts)


def _modules(skip: "tuple[str, ...]") -> "list[FrameType]":
    """For each module of the user that is running one frame, the outermost module first."""
    frames = {}  # type: dict[int, FrameType]
    frame = sys._getframe(1)  # type: FrameType | None
    while frame is not None:
        if _is_users(frame, skip):
            frames.pop(id(frame.f_globals), None)
            frames[id(frame.f_globals)] = frame
        frame = frame.f_back
    return sorted(frames.values(), key=lambda f: f.f_globals.get("__name__") != "__main__")


def _is_users(frame: "FrameType", skip: "tuple[str, ...]") -> bool:
    """Whether a frame runs code of the user."""
    path = frame.f_code.co_filename
    return not path.startswith(skip) and not installed(path)


OPTIMIZED = 3
"""Flags of code that keeps its variables in no dictionary: that of functions. Source: CPython, Include/code.h (CO_OPTIMIZED,
CO_NEWLOCALS).
"""
READERS = frozenset(("locals", "vars", "dir", "eval", "exec", "execfile"))
"""Functions that may hand out the copy of a function's variables that its frame keeps."""


def _variables(frame: "FrameType") -> "list[tuple[str, Live]]":
    """The variables of a function that is running, its arguments first.

    Before CPython 3.13 the frame keeps the copy that it makes of them, with their values: it is emptied, and not made where the function
    may have it itself.
    """
    code = frame.f_code
    if code.co_flags & OPTIMIZED != OPTIMIZED or not READERS.isdisjoint(code.co_names):
        return []
    found = frame.f_locals
    rows = [(name, found[name]) for name in code.co_varnames + code.co_cellvars + code.co_freevars if name in found]
    if type(found) is dict:
        found.clear()
    return rows


def _globals(frame: "FrameType") -> "list[tuple[str, Live]]":
    """The globals of a frame's module, in the order in which its code names them."""
    order = dict((name, k) for k, name in reversed(list(enumerate(frame.f_code.co_names))))
    rows = [(name, value) for name, value in list(frame.f_globals.items()) if is_name(name) and not name.startswith("__")]
    return sorted(rows, key=lambda row: order.get(row[0], len(order)))


def _loop_variables(path: str) -> "set[str]":
    """The names to which loops of a source file assign; empty if it cannot be read."""
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError):
        return set()
    targets = [node.target for node in ast.walk(tree) if isinstance(node, (ast.For, ast.comprehension))]
    return {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}


def _parts(value: "Live", skip: "tuple[str, ...]") -> "list[tuple[str, Live]]":
    """(text to append to the expression of the value, part) for the parts of a value that `_inside` returns, `LONGEST` at most."""
    inside = _inside(value, skip)
    if isinstance(inside, dict):
        return [("." + name, part) for name, part in list(inside.items())[:LONGEST] if is_name(name)]
    return [("[%d]" % k, part) for k, part in enumerate((inside or ())[:LONGEST])]


def _inside(value: "Live", skip: "tuple[str, ...]") -> "Live":
    """A list or tuple itself, the attributes of an instance of a class that the user wrote, else None. No method of the class runs."""
    kind = type(value)
    if kind in (list, tuple):
        return value
    old = kind.__name__ == "instance"  # of an old-style class of Python 2, which looks up no method for these two
    name = (value.__class__ if old else kind).__module__
    path = getattr(sys.modules.get(name), "__file__", None) or ""
    own = name == "__main__" or (path and not path.startswith(skip) and not installed(path))
    if not own or issubclass(kind, type):
        return None
    try:
        attributes = value.__dict__ if old else object.__getattribute__(value, "__dict__")
    except Exception:  # it has none, or a property of this name
        return None
    return attributes if type(attributes) is dict else None


def is_name(text: object) -> bool:
    """Returns whether a key of a namespace can be written as a name."""
    return isinstance(text, str) and re.match(r"[A-Za-z_][A-Za-z0-9_]*\Z", text) is not None


POP_TOP = opcode.opmap["POP_TOP"]
"""The instruction that discards the value on top of the stack."""
CACHE = opcode.opmap.get("CACHE", -1)
"""Opcode of inline cache entries, which are skipped (CPython 3.11 and later)."""


def next_opcode(frame: "FrameType") -> int:
    """Returns the opcode after the instruction that `frame` is executing; -1 if there is none."""
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
    """Returns whether the caller (the innermost frame outside the folders `skip`) discards the value that its call returns."""
    frame = sys._getframe(1)  # type: FrameType | None
    while frame is not None and frame.f_code.co_filename.startswith(skip):
        frame = frame.f_back
    return frame is not None and next_opcode(frame) == POP_TOP
