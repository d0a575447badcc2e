"""Sources of Python 2 as Python 3: fissix's own fixers, and divisions, which round integers down there."""

from __future__ import annotations

import ast
import functools
import logging
import re
import warnings
from typing import Any

from ..errors import UnreadableError
from .edits import applied
from .imports import head_end
from .model import CODES, Change, Edit, Safety, Style, Wish
from .syntax import NAME, STRING, Node, Tree, fissix, symbols

_LEFT_OUT = ("asserts", "buffer", "idioms", "set_literal", "ws_comma", "sorted")
"""fissix's fixers that change style only, and one that takes every `x.sort(y)` for that of a list."""
_DIVISION = re.compile(r"^\s*from\s+__future__\s+import\s+.*\bdivision\b", re.M)
_ONLY_PYTHON2 = re.compile(
    r"^\s*(?:import|from)\s+(?:cPickle|cStringIO|StringIO|urllib2|urlparse|ConfigParser|Queue|Tkinter|HTMLParser|__builtin__)\b"
    r"|\.(?:iteritems|itervalues|iterkeys|has_key)\(|(?<![\w.])(?:xrange|raw_input|basestring|unicode|execfile)\("
    r"|^\s*from\s+itertools\s+import\s.*\bi(?:zip|map|filter)\b|\bitertools\.i(?:zip|map|filter)\b",
    re.M,
)
"""Modules, methods and functions that Python 3 has not."""
_BRIDGE = re.compile(r"\b(?:six|past|future|builtins|python2x)\b|^\s*except\s+(?:\(?\w*,?\s*)?(?:ImportError|NameError)|version_info", re.M)
_XRANGE = re.compile(r"^[^#\n]*(?<![\w.])xrange\(", re.M)
_OTHER_XRANGE = re.compile(r"\bxrange\s*=|\b(?:import|as)\b.*\bxrange\b|\bimport\s+\*", re.M)
"""Where a source gives itself an `xrange`, or may."""
_NUMBER = 2
"""The kind of leaf that a number is, in Python's `token`."""
_DOWNWARDS = "where both are integers, Python 2 divided downwards"
_DIVIDE = "from theanodiag.compat.running.python2 import divide"
_FLOATS = ("float", "sqrt", "exp", "log", "mean", "std", "time", "clock", "norm", "cast", "uniform", "random", "tanh", "sin", "cos")
"""Functions that give no integers."""


def is_python2(text: str) -> bool:
    """Whether only Python 2 reads a source."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return False


def speaks_python2(text: str) -> bool:
    """Whether a source that both Pythons read asks for what only Python 2 has, with no library that gives it to Python 3."""
    if _BRIDGE.search(text) is not None:
        return _XRANGE.search(text) is not None and _OTHER_XRANGE.search(text) is None
    return _ONLY_PYTHON2.search(text) is not None


@functools.cache
def _tool(print_function: bool) -> Any:
    refactor, pygram = fissix("refactor"), fissix("pygram")
    names = [n for n in refactor.get_fixers_from_package("fissix.fixes") if n.rpartition("fix_")[2] not in _LEFT_OUT]
    logging.getLogger("RefactoringTool").setLevel(logging.ERROR)
    wanted = [n for n in names if not (print_function and n.endswith("fix_print"))]
    tool = refactor.RefactoringTool(wanted, {"print_function": print_function})
    if print_function:
        tool.driver.grammar = pygram.python_grammar_no_print_statement
    return tool


def translated(text: str, path: str, wish: Wish) -> tuple[str, tuple[Change, ...]]:
    """A source of Python 2 as Python 3, and what was done. Raises UnreadableError where fissix cannot."""
    tree = Tree(text, path)
    edits, changes = ([], []) if _DIVISION.search(text) else _divisions(tree, wish)
    divided = applied(text, edits)
    whole = divided if divided.endswith("\n") else f"{divided}\n"
    try:
        made = str(_tool("print_function" in text).refactor_string(whole, path))
    except Exception as error:  # whatever its parser and its fixers raise
        help = "translate it by hand, or leave --python2to3 out"
        raise UnreadableError(f"fissix cannot translate it: {error}", path=path, help=help) from None
    made = _clock(_without_tabs(made if divided.endswith("\n") else made[:-1], path), path)
    told = _told(tree, tree.root.children[0], "python2", Safety.SAFE, "a source of Python 2", "translated by fissix")
    return made, (told, *changes)


def _clock(text: str, path: str) -> str:
    """`time.clock`, which CPython 3.8 has no more, is `time.perf_counter`."""
    if "clock" not in text:
        return text
    tree = Tree(text, path)
    beside = zip(("", *(leaf.value for leaf in tree.leaves)), tree.leaves, tree.leaves[1:], tree.leaves[2:])
    found = [c for before, a, b, c in beside if before != "." and (a.value, b.value, c.value) == ("time", ".", "clock")]
    return applied(text, [Edit(tree.start(leaf), tree.end(leaf), "perf_counter") for leaf in found])


def _without_tabs(text: str, path: str) -> str:
    """The text with its lines indented by spaces, where Python 3 does not take its mix of tabs and spaces; strings stay as they are."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except TabError:
        inside: set[int] = set()
        for leaf in Tree(text, path).leaves:
            if leaf.type == STRING:
                inside.update(range(leaf.lineno + 1, leaf.lineno + 1 + leaf.value.count("\n")))
        return "\n".join(line if n in inside else _indented(line) for n, line in enumerate(text.split("\n"), 1))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    return text


def _indented(line: str) -> str:
    """A line whose indentation is spaces: Python 2 takes a tab for as many as reach the next multiple of eight."""
    body = line.lstrip(" \t")
    return line[: len(line) - len(body)].expandtabs(8) + body


def _told(tree: Tree, node: Node, name: str, safety: Safety, reason: str, advice: str) -> Change:
    return Change(tree.span(node), name, safety, reason, advice, CODES[safety])


def _divisions(tree: Tree, wish: Wish) -> tuple[list[Edit], list[Change]]:
    """Each `/` that may round down."""
    edits: list[Edit] = []
    changes: list[Change] = []
    term, expr_stmt = symbols().term, symbols().expr_stmt
    ours = False
    for node in list(tree.root.pre_order()):
        if node.type == term:
            for at in range(1, len(node.children), 2):
                if node.children[at].value == "/":
                    ours |= _division(tree, node, at, wish, edits, changes)
        elif node.type == expr_stmt and not node.children[1].children and node.children[1].value == "/=":
            ours |= _in_place(tree, node, wish, edits, changes)
    if ours:
        at = head_end(tree)
        edits.append(Edit(at, at, f"{_DIVIDE}\n"))
    return edits, changes


def _division(tree: Tree, node: Node, at: int, wish: Wish, edits: list[Edit], changes: list[Change]) -> bool:
    """One `/` of a product; True where compat's `divide` is written."""
    left, right, mark = node.children[:at], node.children[at + 1], node.children[at]
    if any(map(_is_float, (*left, right))):
        return False
    start, end = tree.start(mark), tree.end(mark)
    whole = len(left) == 1 and _is_whole(left[0]), _is_whole(right)
    native = wish.unsafe and wish.style is Style.NATIVE
    if all(whole) or (any(whole) and native):
        edits.append(Edit(start, end, "//"))
        safety = Safety.SAFE if all(whole) else Safety.UNSAFE
        changes.append(_told(tree, mark, "/", safety, _DOWNWARDS, "//"))
        return False
    if native:
        changes.append(_told(tree, mark, "/", Safety.UNSAFE, _DOWNWARDS, "/ as in Python 3"))
        return False
    first, last = tree.start(left[0]), tree.end(right)
    edits += [Edit(first, first, "divide("), Edit(tree.end(left[-1]), end, ","), Edit(last, last, ")")]
    changes.append(_told(tree, mark, "/", Safety.SAFE, _DOWNWARDS, "theanodiag.compat's divide"))
    return True


def _in_place(tree: Tree, node: Node, wish: Wish, edits: list[Edit], changes: list[Change]) -> bool:
    """`x /= y`."""
    target, mark, value = node.children
    if _is_float(value):
        return False
    if wish.unsafe and wish.style is Style.NATIVE:
        changes.append(_told(tree, mark, "/=", Safety.UNSAFE, _DOWNWARDS, "/= as in Python 3"))
        return False
    name, end = tree.source(target), tree.end(value)
    start = tree.start(value)
    edits += [Edit(tree.start(mark), tree.end(mark), "="), Edit(start, start, f"divide({name}, "), Edit(end, end, ")")]
    changes.append(_told(tree, mark, "/=", Safety.SAFE, _DOWNWARDS, "theanodiag.compat's divide"))
    return True


def _is_float(node: Node) -> bool:
    """Whether an operand is no integer for sure."""
    if not node.children:
        return node.type == _NUMBER and any(c in node.value for c in ".eEjJ") and not node.value.lower().startswith("0x")
    if node.type == symbols().power:
        names = [leaf.value for leaf in node.leaves() if leaf.type == NAME]
        called = node.children[-1].children and node.children[-1].children[0].value == "("
        path = [c.children[-1].value if c.children else c.value for c in node.children[:-1] if c.type == NAME or len(c.children) == 2]
        return bool(called and path and path[-1] in _FLOATS) or "astype" in names
    if node.type == symbols().atom:
        return any(map(_is_float, node.children[1:-1]))
    if node.type in (symbols().arith_expr, symbols().term, symbols().factor):
        return any(map(_is_float, node.children))
    return False


def _is_whole(node: Node) -> bool:
    """Whether an operand is an integer for sure: a number, `len(x)`, `int(x)`, `x.shape[0]`, and sums of such."""
    if not node.children:
        return node.type == _NUMBER and not _is_float(node)
    sym = symbols()
    if node.type == sym.power:
        last, before = node.children[-1], node.children[-2]
        head = node.children[0]
        called = not head.children and head.value in ("len", "int") and len(node.children) == 2
        shape = bool(last.children) and last.children[0].value == "[" and bool(before.children) and before.children[-1].value == "shape"
        return called or shape
    if node.type == sym.atom and node.children[0].value == "(" and len(node.children) == 3:
        return _is_whole(node.children[1])
    if node.type in (sym.arith_expr, sym.term):
        return all(map(_is_whole, node.children[::2])) and all(c.value != "/" for c in node.children[1::2])
    return False
