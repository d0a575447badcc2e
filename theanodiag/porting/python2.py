"""Translates Python 2 sources to Python 3: fissix's own fixers, and divisions, which floor integers in Python 2."""

from __future__ import annotations

import ast
import functools
import logging
import re
import warnings
from collections.abc import Callable
from typing import Any

from ..compat.running.fixers import corrected
from ..errors import UnreadableError
from . import generators, list_comprehensions, pickles, relative_imports
from .imports import head_end
from .model import CODES, NOWHERE, Around, Change, PortEdit, PortOptions, Safety, applied
from .numbers import Number, Numbers
from .python2_marks import BRIDGE, Python2Mark, marks
from .session import PortSession
from .syntax import NAME, STRING, Node, Tree, arguments, fissix, symbols
from .targets import LEGACY

_LEFT_OUT = ("asserts", "buffer", "idioms", "set_literal", "ws_comma", "sorted")
"""fissix's fixers that change style only, and one that treats every `x.sort(y)` as a method of a list."""
_DIVISION = re.compile(r"^[ \t]*from\s+__future__\s+import\s+.*\bdivision\b", re.M)
_DOWNWARDS = "if both are integers, Python 2 floors the result"
_HALVES = "Python 2 rounds halves away from 0 and returns a float; Python 3 rounds them to the even number"
_DEFINED = '''def divide(left, right):
    """The quotient as in Python 2: rounded down if both are integers."""
    whole = all(isinstance(v, int) or str(getattr(v, "dtype", "")).startswith(("int", "uint", "bool")) for v in (left, right))
    return left // right if whole else left / right


'''
_DEFINED_ROUND = '''def round(number, ndigits=0):
    """Python 2's round: a float; halves are rounded away from 0."""
    from decimal import ROUND_HALF_UP, Context, Decimal

    value = float(number)
    unit, context = Decimal(1).scaleb(-ndigits), Context(prec=800)
    return float(Decimal(value).quantize(unit, ROUND_HALF_UP, context)) if value - value == 0 else value


'''
"""What a source has that stays with Theano: theanodiag cannot be imported by the Pythons for which Theano is."""
_MAY_BE = re.compile(
    r"^[^#\n]*\b(?:print|exec|xrange|raw_input|unicode|unichr|execfile|basestring|reduce|izip|imap|iter(?:items|values|keys)|has_key|maxint)\b"
    r"|^[ \t]*(?:import|from)\s+(?:cPickle|c?StringIO|urllib2|urlparse|ConfigParser|Queue|Tkinter|__builtin__)\b",
    re.M,
)
"""Text that a source without a framework must contain to be searched; Python 3 can parse it."""
_RELATIVE = "Python 2 looks in the module's own folder first"
_LISTS = ("FixZip", "FixMap", "FixFilter", "FixDict")
"""fissix's fixers that put `list(...)` around calls which return iterators or views in Python 3."""
_TAKE_ALL = frozenset(("extend", "update", "max", "min", "reduce", "sum", "sorted", "set", "tuple", "list", "dict", "join"))
"""Functions and methods that accept any iterable and iterate over it once, immediately."""


def is_python2(text: str) -> bool:
    """Returns whether a source is valid only in Python 2, judged by its text alone."""
    return list_comprehensions.parsed(text) is None


def to_python3(text: str, path: str, options: PortOptions, around: Around = NOWHERE) -> tuple[str, tuple[Change, ...]]:
    """Translates a source to Python 3. Returns the new source and the changes; the unchanged source if it is not Python 2 or cannot be
    translated.

    Raises UnreadableError if fissix fails.
    """
    if not is_source_of_python2(text, path, around):
        return text, ()
    moved, change = translated(text, path, options, around)
    if is_python2(text) or not marks(Tree(moved, path), around):  # else a second run would translate it once more
        return moved, change
    return text, ()


def is_source_of_python2(text: str, path: str, around: Around = NOWHERE) -> bool:
    """Returns whether a source is Python 2, by its own content, by the other sources of its package, which all use the same Python version,
    or by the scripts that import it.
    """
    try:
        tree = Tree(text, path)
    except UnreadableError:
        return is_python2(text)
    signs = marks(tree, around)
    if is_python2(text):  # by the Python that runs here, which may be older than the source
        return tree.python == 2 or any(mark.syntax for mark in signs)
    return bool(signs) or (around.is_python2() and BRIDGE.search(text) is None)


def note(session: PortSession, around: Around = NOWHERE) -> None:
    """Reports, to be ported by hand, the first place of each kind of code that is valid only in Python 2 or means something else in Python
    3.
    """
    session.changes += _left(session.tree, session.options, around)


def left(text: str, path: str, options: PortOptions, around: Around = NOWHERE) -> tuple[Change, ...]:
    """Reports, for a source without framework names, what `note` reports. Reports nothing if the source cannot be parsed."""
    if not (is_python2(text) or _MAY_BE.search(text) or around.beside):
        return ()
    try:
        return _left(Tree(text, path), options, around)
    except UnreadableError:
        return ()


def _left(tree: Tree, options: PortOptions, around: Around) -> tuple[Change, ...]:
    places: dict[str, list[Python2Mark]] = {}
    for mark in marks(tree, around):
        places.setdefault(mark.what, []).append(mark)
    advice = "needs --python2to3, which translates it first"
    if options.python2to3:
        advice = "translate it by hand: --python2to3 does not"
    changes = []
    for what, signs in places.items():
        more = f", and {len(signs) - 1} more such" if len(signs) > 1 else ""
        reason = f"a Python 2 source: {what}{more}"
        changes.append(_told(tree, signs[0].node, "python2", Safety.BY_HAND, reason, advice))
    return tuple(changes)


@functools.cache
def _tool(print_function: bool) -> Any:
    refactor, pygram = fissix("refactor"), fissix("pygram")
    names = [n for n in refactor.get_fixers_from_package("fissix.fixes") if n.rpartition("fix_")[2] not in _LEFT_OUT]
    logging.getLogger("RefactoringTool").setLevel(logging.ERROR)
    wanted = [n for n in names if not (print_function and n.endswith("fix_print"))]
    tool = corrected(refactor, wanted, {"print_function": print_function})
    if print_function:
        tool.driver.grammar = pygram.python_grammar_no_print_statement
    for fixer in (*tool.pre_order, *tool.post_order):
        if type(fixer).__name__ in _LISTS:
            fixer.transform = _where_wanted(fixer.transform)
    return tool


def _where_wanted(transform: Callable[[Node, Any], Any]) -> Callable[[Node, Any], Any]:
    """Wraps a fixer of fissix so that it adds no `list(...)` around values that are iterated once, immediately."""

    def wanted(node: Node, results: Any) -> Any:
        name = node.children[0].value if not node.children[0].children else ""
        plain = name in ("zip", "map", "filter") and len(node.children) == 2 and node.children[1].children[0].value == "("
        view = node.children[-2:][0].children[-1].value if len(node.children) > 2 and node.children[-2].children else ""
        if plain and name != "zip" and _has_none(node.children[1]):
            return transform(node, results)
        if (plain and _is_taken_whole(node)) or (view in ("keys", "values", "items") and _is_asked_for(node)):
            return None
        return transform(node, results)

    return wanted


def _has_none(trailer: Node) -> bool:
    """Whether the first argument is missing or None, for which fissix writes something else."""
    first = next(iter(arguments(trailer)), None)
    return first is None or (not first.children and first.value == "None")


def _is_taken_whole(node: Node) -> bool:
    """Whether a call's value is unpacked, or passed to code that iterates over it once and does not keep it."""
    parent, sym = node.parent, symbols()
    if parent.type == sym.expr_stmt and parent.children[-1] is node and parent.children[1].value == "=":
        targets = parent.children[:-1:2]
        return all(t.children and (t.type != sym.power and (t.type != sym.atom or t.children[0].value in "([")) for t in targets)
    if parent.type in (sym.argument, sym.star_expr) and not parent.children[0].children and parent.children[0].value == "*":
        return True
    if parent.type == sym.trailer and parent.children[0].value == "(":
        before = parent.prev_sibling
        name = before.children[-1].value if before.children and before.type == sym.trailer else getattr(before, "value", "")
        return name in ("extend", "update", "join") if before.children else name in _TAKE_ALL
    return False


def _is_asked_for(node: Node) -> bool:
    """Whether the node is tested for an item outside a loop: `k in d.keys()`."""
    parent = node.parent
    return parent.type == symbols().comparison and parent.children[-1] is node and parent.children[-2].children == []


def translated(text: str, path: str, options: PortOptions, around: Around = NOWHERE) -> tuple[str, tuple[Change, ...]]:
    """Translates a Python 2 source to Python 3. Returns the new source and the changes. Raises UnreadableError if fissix fails."""
    tree = Tree(text, path)
    if not tree.root.children:  # comments only, or nothing
        return text, ()
    with_theano = options.target == "theano"
    edits, changes = ([], []) if _DIVISION.search(text) else _divisions(tree, _DEFINED if with_theano else f"from {LEGACY} import divide\n")
    edits += _next_methods(tree)
    if _calls_round(tree):
        at = head_end(tree)
        edits.append(PortEdit(at, at, _DEFINED_ROUND if with_theano else f"from {LEGACY} import round\n"))
        changes.append(_told(tree, tree.root.children[0], "round", Safety.SAFE, _HALVES, "theanodiag's round"))
    if around.beside:
        relative = relative_imports.explicit_imports(tree, around)
        edits += relative
        changes += [
            _told(tree, node, "import", Safety.SAFE, _RELATIVE, "with a dot") for node, _ in relative_imports.implicit(tree, around)
        ]
    divided = applied(text, edits)
    whole = divided if divided.endswith("\n") else f"{divided}\n"
    try:
        translation = str(_tool("print_function" in text).refactor_string(whole, path))
    except Exception as error:  # whatever its parser and its fixers raise
        help = "translate it by hand, or leave --python2to3 out"
        raise UnreadableError(f"fissix cannot translate it: {error}", path=path, help=help) from None
    translation, kept = list_comprehensions.translated(translation, tree)
    translation, ended = generators.translated(translation, tree)
    translation, read = pickles.translated(translation, tree)
    translation = _clock(_without_tabs(translation if divided.endswith("\n") else translation[:-1], path), path)
    change = _told(tree, tree.root.children[0], "python2", Safety.SAFE, "a Python 2 source", "translated by fissix")
    return translation, (change, *changes, *kept, *ended, *read)


def _calls_round(tree: Tree) -> bool:
    """Whether a source calls Python's own `round`, to which it gives no other meaning."""
    found = [leaf for leaf in tree.leaves if leaf.type == NAME and leaf.value == "round" and getattr(leaf.prev_sibling, "value", "") != "."]
    called = [leaf for leaf in found if leaf.next_sibling is not None and str(leaf.next_sibling).startswith("(")]
    bound = any(leaf.parent.type in (symbols().funcdef, symbols().import_as_names, symbols().import_from) for leaf in found)
    return bool(called) and not bound and _star_imports_no_round(tree)


def _star_imports_no_round(tree: Tree) -> bool:
    """Whether no `from numpy import *` or `from pylab import *` brings another `round`."""
    return re.search(r"^[ \t]*from\s+(numpy|pylab|scipy)\s+import\s+\*", str(tree.root), re.M) is None


def _next_methods(tree: Tree) -> list[PortEdit]:
    """The edits of `x.next().y` to `next(x).y`: fissix translates only calls of `next` that nothing follows."""
    edits = []
    for leaf in tree.leaves:
        name, sym = leaf.parent, symbols()
        if leaf.value != "next" or name.type != sym.trailer or name.children[0].value != ".":
            continue
        call = name.next_sibling
        called = call is not None and call.type == sym.trailer and [str(child).strip() for child in call.children] == ["(", ")"]
        if called and call.next_sibling is not None:
            start = tree.start(name.parent)
            edits += [PortEdit(start, start, "next("), PortEdit(tree.start(name), tree.end(call), ")")]
    return edits


def _clock(text: str, path: str) -> str:
    """The text with `time.clock`, which CPython 3.8 removed, replaced by `time.perf_counter`."""
    if "clock" not in text:
        return text
    tree = Tree(text, path)
    beside = zip(("", *(leaf.value for leaf in tree.leaves)), tree.leaves, tree.leaves[1:], tree.leaves[2:])
    calls = [c for before, a, b, c in beside if before != "." and (a.value, b.value, c.value) == ("time", ".", "clock")]
    return applied(text, [PortEdit(tree.start(leaf), tree.end(leaf), "perf_counter") for leaf in calls])


def _without_tabs(text: str, path: str) -> str:
    """The text indented by spaces, if Python 3 rejects its mix of tabs and spaces; strings stay as they are."""
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


def _divisions(tree: Tree, divide: str) -> tuple[list[PortEdit], list[Change]]:
    """(edits, changes) for each `/` that may round down: `//` if the source shows that both operands are integers, else `divide`, which
    tests the types at run time. `divide`: the statement that provides it.
    """
    edits: list[PortEdit] = []
    changes: list[Change] = []
    term, expr_stmt = symbols().term, symbols().expr_stmt
    numbers = Numbers(tree)
    ours = False
    for node in tree.root.pre_order():
        if node.type == term:
            ours |= _division(tree, node, numbers, edits, changes)
        elif node.type == expr_stmt and not node.children[1].children and node.children[1].value == "/=":
            ours |= _in_place(tree, node, numbers, edits, changes)
    if ours:
        at = head_end(tree)
        edits.append(PortEdit(at, at, divide))
    return edits, changes


def _division(tree: Tree, node: Node, numbers: Numbers, edits: list[PortEdit], changes: list[Change]) -> bool:
    """Ports the `/` operators of a product. True if an edit calls `divide`, which has to be provided."""
    left, ours, children = numbers.kind(node.children[0]), False, node.children
    for at in range(1, len(children), 2):
        mark, right = children[at], numbers.kind(children[at + 1])
        if mark.value == "/" and Number.FLOAT not in (left, right):
            start, end = tree.start(mark), tree.end(mark)
            if left is right is Number.WHOLE:
                edits.append(PortEdit(start, end, "//"))
                changes.append(_told(tree, mark, "/", Safety.SAFE, _DOWNWARDS, "//"))
            else:
                first, last = tree.start(node), tree.end(children[at + 1])
                edits += [PortEdit(first, first, "divide("), PortEdit(tree.end(children[at - 1]), end, ","), PortEdit(last, last, ")")]
                changes.append(_told(tree, mark, "/", Safety.SAFE, _DOWNWARDS, "divide"))
                ours = True
        left = Number.FLOAT if Number.FLOAT in (left, right) else left if left is right else None
    return ours


def _in_place(tree: Tree, node: Node, numbers: Numbers, edits: list[PortEdit], changes: list[Change]) -> bool:
    """Ports `x /= y`. True if an edit calls `divide`."""
    target, mark, value = node.children
    kinds = numbers.kind(target), numbers.kind(value)
    if kinds[1] is Number.FLOAT and kinds[0] is not None:
        return False
    if kinds == (Number.WHOLE, Number.WHOLE):
        edits.append(PortEdit(tree.start(mark), tree.end(mark), "//="))
        changes.append(_told(tree, mark, "/=", Safety.SAFE, _DOWNWARDS, "//="))
        return False
    name, end = tree.source(target), tree.end(value)
    start = tree.start(value)
    edits += [PortEdit(tree.start(mark), tree.end(mark), "="), PortEdit(start, start, f"divide({name}, "), PortEdit(end, end, ")")]
    changes.append(_told(tree, mark, "/=", Safety.SAFE, _DOWNWARDS, "divide"))
    return True
