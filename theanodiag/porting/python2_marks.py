"""Signs that a source is Python 2: syntax that Python 3 cannot parse, names it lacks, and constructs it interprets differently."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from . import list_comprehensions
from .model import NOWHERE, Around
from .relative_imports import implicit
from .syntax import NAME, STRING, Node, Tree, first_leaf, symbols

NUMBER = 2
"""Token number of a number literal, in Python's `token`."""
BRIDGE = re.compile(
    r"\b(?:six|past|future|builtins|python2x)\b|^[ \t]*except\s+(?:\(?\w*,?\s*)?(?:ImportError|NameError)|version_info", re.M
)
"""Matches signs of sources for both Python versions: a compatibility library, or a check of the Python version."""
_PYTHON3 = re.compile(r"^[ \t]*(?:async\s+)?def\b[^\n#]*\)\s*->|^[ \t]*nonlocal\b|\byield from\b|^[ \t]*from typing import\b", re.M)
"""Matches syntax that only Python 3 sources have; f-strings are another sign."""


@dataclass(frozen=True)
class Python2Mark:
    """One sign of Python 2."""

    node: Node
    what: str
    """Description of the sign."""
    syntax: bool = False
    """Whether Python 3 cannot parse it."""
    builtin: str = ""
    """The Python 2 built-in function; it is not a sign if the source defines that name itself."""
    module: str = ""
    """The module of the name; it is not a sign if the source does not import the module: `string` may be any variable."""


def marks(tree: Tree, around: Around = NOWHERE) -> tuple[Python2Mark, ...]:
    """Returns the signs of Python 2 in a source, in order. For a source that supports both versions, returns only signs that such a source
    does not have.
    """
    signs = [mark for leaf in tree.leaves for mark in _of_leaf(leaf)]
    if not any(mark.syntax for mark in signs):
        mixed = _mixed_tabs(tree)
        if mixed is not None or tree.python == 2:
            signs.append(mixed or Python2Mark(first_leaf(tree.root), "what only Python 2 reads", True))
    if "print_function" in tree.text:
        signs = [mark for mark in signs if mark.what not in _PRINTS]
    bound = _bound(tree) if any(mark.builtin for mark in signs) else set()
    imported = _modules(tree) if any(mark.module for mark in signs) else set()
    signs = [mark for mark in signs if mark.builtin not in bound and (not mark.module or mark.module in imported)]
    if tree.fields or _PYTHON3.search(tree.text) is not None:
        signs = [mark for mark in signs if mark.syntax]
    if BRIDGE.search(tree.text) is not None:
        signs = [mark for mark in signs if mark.syntax or mark.builtin == "xrange"]
    if not any(mark.syntax for mark in signs):
        signs += [Python2Mark(node, f"a list comprehension that leaves {names} behind") for node, names in list_comprehensions.sign(tree)]
    if around.beside and (relative := implicit(tree, around)) and around.is_python2():
        signs += [Python2Mark(node, "an import of a module beside it without a dot") for node, _ in relative]
    return tuple(sorted(signs, key=lambda m: tree.start(m.node)))


_PRINT_CALL = "print of a value in parentheses with something after them"
_PRINT_TO = "print >> a file"
_PRINTS = (_PRINT_CALL, _PRINT_TO)
_MODULES = frozenset((
    "cPickle", "cStringIO", "StringIO", "urllib2", "urlparse", "ConfigParser", "Queue", "Tkinter", "HTMLParser", "__builtin__", "commands",
    "httplib", "SocketServer", "cookielib", "xmlrpclib", "copy_reg", "anydbm", "thread", "sets", "md5", "sha",
))  # fmt: skip
_CALLED = frozenset(("xrange", "raw_input", "unicode", "execfile", "unichr", "long", "reduce", "file", "cmp", "apply", "buffer", "intern"))
_NAMED = frozenset(("basestring",))
_ITERATORS = frozenset(("zip", "map", "filter"))
_BUILTINS = _CALLED | _NAMED | _ITERATORS
_METHODS = frozenset(("iteritems", "itervalues", "iterkeys", "has_key", "viewitems", "viewvalues", "viewkeys"))
_OF_MODULES: Mapping[str, frozenset[str]] = {
    "itertools": frozenset(("izip", "imap", "ifilter", "izip_longest", "ifilterfalse")),
    "sys": frozenset(("maxint",)),
    "os": frozenset(("getcwdu",)),
    "string": frozenset(("letters", "maketrans", "lowercase", "uppercase", "join", "split", "atoi", "atof", "replace", "strip")),
}
_VIEWS = frozenset(("keys", "values", "items"))


def _of_leaf(leaf: Node) -> Iterator[Python2Mark]:
    """Yields the signs of Python 2 in one token."""
    if leaf.type == NAME or leaf.value in _BY_WORD:
        for look in _BY_WORD.get(leaf.value, ()):
            what = look(leaf)
            if what is not None:
                builtin = leaf.value if leaf.value in _BUILTINS and look is _name else ""
                module = what.partition(".")[0] if _is_of(leaf.parent, leaf.value) else ""
                yield Python2Mark(leaf, what, look in _SYNTAX, builtin, module)
    elif leaf.type == NUMBER:
        if re.fullmatch(r"0\d*[1-9]\d*[lL]?", leaf.value) or leaf.value[-1] in "lL":
            yield Python2Mark(leaf, "a number as Python 2 writes it (0777, 10L)", True)
    elif leaf.type == STRING and leaf.value[:2].lower() == "ur":
        yield Python2Mark(leaf, "a text ur'...'", True)


def _print(leaf: Node) -> str | None:
    """The description of a print statement; None for other tokens."""
    return "a print statement" if _heads(leaf, "print_stmt") and not _in_parentheses(leaf.parent) else None


def _exec(leaf: Node) -> str | None:
    """The description of an exec statement; None for other tokens."""
    return "an exec statement" if _heads(leaf, "exec_stmt") and not _in_parentheses(leaf.parent) else None


def _in_parentheses(statement: Node) -> bool:
    """Whether a print or exec statement has only an expression in parentheses, which Python 3 reads as a call. False for `print (a, b)`,
    which prints something else there.
    """
    inside = statement.children[1]
    if len(statement.children) != 2 or not inside.children or inside.type != symbols().atom or inside.children[0].value != "(":
        return False
    commas = any(not c.children and c.value == "," for c in inside.children[1].children) if len(inside.children) == 3 else False
    return statement.type == symbols().exec_stmt or not commas


def _async(leaf: Node) -> str | None:
    return f"{leaf.value} as a name" if leaf.type == NAME and not _is(leaf.next_sibling, "def") else None


def _heads(leaf: Node, kind: str) -> bool:
    """Whether a token begins a statement of the kind `kind`."""
    return leaf.parent is not None and leaf.parent.type == getattr(symbols(), kind) and leaf.parent.children[0] is leaf


def _print_call(leaf: Node) -> str | None:
    """The description of `print >> f, x` or `print (a) % b`, which Python 3 interprets differently; None for others."""
    sym, node = symbols(), leaf.parent
    if node is None or _heads(leaf, "print_stmt"):
        return None
    if node.type == sym.shift_expr and node.children[0] is leaf and node.children[1].value == ">>":
        return _PRINT_TO
    called = node.type == sym.power and node.children[0] is leaf and len(node.children) == 2 and node.children[1].type == sym.trailer
    if not called or node.children[1].children[0].value != "(" or node.parent is None:
        return None
    outer = node.parent
    behind = outer.type in (sym.term, sym.arith_expr) or (outer.type in (sym.testlist, sym.testlist_star_expr) and len(outer.children) > 2)
    return _PRINT_CALL if behind and outer.children[0] is node and outer.parent.type == sym.simple_stmt else None


def _except(leaf: Node) -> str | None:
    node = leaf.parent
    comma = node is not None and node.type == symbols().except_clause and len(node.children) == 4 and not node.children[2].children
    return "except X, e" if comma and node.children[2].value == "," else None


def _raise(leaf: Node) -> str | None:
    node = leaf.parent
    stated = node is not None and node.type == symbols().raise_stmt
    return "raise X, text" if stated and any(not c.children and c.value == "," for c in node.children) else None


def _def(leaf: Node) -> str | None:
    """The description of a function with a tuple as a parameter; None for others."""
    node = leaf.parent
    if node is None or node.type not in (symbols().funcdef, symbols().lambdef):
        return None
    inside = node.children[2] if node.type == symbols().funcdef else node
    listed = [c for c in inside.children[1:-1] if c.children]
    parts = [p for c in listed for p in (c.children if c.type in (symbols().typedargslist, symbols().varargslist) else [c])]
    tuples = (symbols().tfpdef, symbols().vfpdef, symbols().atom)
    if node.type == symbols().lambdef:
        parts = [p for p in parts if p is not node.children[-1]]
    before = [None, *parts]
    has_tuple = any(p.children and p.type in tuples and p.children[0].value == "(" and not _is(q, "=") for q, p in zip(before, parts))
    return "a parameter that is a tuple" if has_tuple else None


def _is(node: Node | None, text: str) -> bool:
    """Whether a node is a token with this text."""
    return node is not None and not node.children and node.value == text


def _backquote(leaf: Node) -> str | None:
    return "backquotes" if leaf.parent is not None and leaf.parent.children[0] is leaf else None


def _unequal(leaf: Node) -> str | None:
    return "<>"


def _star(leaf: Node) -> str | None:
    """The description of `from x import *` in a function; None elsewhere."""
    statement = leaf.parent
    if statement is None or statement.type != symbols().import_from or statement.children[-1] is not leaf:
        return None
    node = statement.parent
    while node is not None and node.type not in (symbols().funcdef, symbols().classdef):
        node = node.parent
    return "import * in a function" if node is not None else None


def _name(leaf: Node) -> str | None:
    """The description of a name that Python 3 lacks, which depends on its context; None for other names."""
    value, parent, sym = str(leaf.value), leaf.parent, symbols()
    if parent is None:
        return None
    before = leaf.prev_sibling
    dot = before is not None and not before.children and before.value == "." and parent.type == sym.trailer
    if value in _MODULES and _is_imported(leaf):
        return f"the module {value}"
    if (module := _from_module(leaf)) and value in _OF_MODULES.get(module, ()):
        return f"{module}.{value}"
    if dot and value in _METHODS and _is_called(parent):
        return f"the method {value}"
    if dot and _is_of(parent, value):
        return f"{parent.prev_sibling.value}.{value}"
    if not dot and value in _CALLED and parent.type == sym.power and parent.children[0] is leaf and _is_called(leaf):
        return f"{value}()"
    if not dot and value in _NAMED and not _is_bound_there(leaf):
        return value
    if value in _ITERATORS and not dot and parent.type == sym.power and parent.children[0] is leaf:
        return f"{value}() that is taken for a list" if _is_listed(parent, 1) else None
    if value in _VIEWS and dot and _is_called(parent):
        at = parent.parent.children.index(parent)
        return f".{value}() that is taken for a list" if _is_listed(parent.parent, at + 1) else None
    return None


def _modules(tree: Tree) -> set[str]:
    """The modules of `_OF_MODULES` that the source imports."""
    return {leaf.value for leaf in tree.leaves if leaf.type == NAME and leaf.value in _OF_MODULES and _is_imported(leaf)}


def _is_of(trailer: Node | None, value: str) -> bool:
    """Whether a trailer is `.value` of a module that has this name only in Python 2."""
    if trailer is None or trailer.type != symbols().trailer or trailer.children[0].value != ".":
        return False
    before = trailer.prev_sibling
    return before is not None and not before.children and value in _OF_MODULES.get(before.value, ()) and before.prev_sibling is None


def _is_called(trailer: Node) -> bool:
    """Whether an argument list follows the node."""
    behind = trailer.next_sibling
    return behind is not None and bool(behind.children) and behind.children[0].value == "("


def _is_listed(power: Node, at: int) -> bool:
    """Whether the value of a call (its arguments are child `at` of `power`) is used as a list: indexed, sorted in place, or added."""
    children, sym = power.children, symbols()
    if len(children) <= at or not children[at].children or children[at].children[0].value != "(":
        return False
    if len(children) > at + 1:
        following = children[at + 1].children
        return bool(following) and (
            following[0].value == "[" or following[1].value in ("sort", "append", "extend", "pop", "index", "count")
        )
    if power.parent is None or power.parent.type != sym.arith_expr:
        return False
    return any(not c.children and c.value == "+" for c in (power.prev_sibling, power.next_sibling) if c is not None)


def _from_module(leaf: Node) -> str:
    """The module of the `from module import ...` in which a token is an imported name; `''` for other tokens."""
    sym, node = symbols(), leaf.parent
    if node.type == sym.import_as_name and node.children[0] is leaf:
        node = node.parent
    if node is not None and node.type == sym.import_as_names:
        node = node.parent
    if node is None or node.type != sym.import_from or node.children[1] is leaf or node.children[1].children:
        return ""
    return str(node.children[1].value)


def _is_imported(leaf: Node) -> bool:
    """Whether a name is the module in an import statement."""
    sym, node = symbols(), leaf.parent
    if node.type == sym.import_from:
        return _is(leaf.prev_sibling, "from")
    while node is not None and node.type in (sym.dotted_as_names, sym.dotted_as_name, sym.dotted_name):
        if node.type in (sym.dotted_name, sym.dotted_as_name) and node.children[0] is not leaf:
            return False
        leaf, node = node, node.parent
    return node is not None and node.type == sym.import_name


def _is_bound_there(leaf: Node) -> bool:
    """Whether `=` follows a name: it is assigned or a keyword argument."""
    return _is(leaf.next_sibling, "=")


def _bound(tree: Tree) -> set[str]:
    """Names that the source assigns, imports or defines itself; with a star import, `xrange` too."""
    sym, names = symbols(), set[str]()
    given = (sym.expr_stmt, sym.typedargslist, sym.varargslist)
    for leaf in tree.leaves:
        if leaf.type == NAME and leaf.parent is not None:
            kind = leaf.parent.type
            imported = kind in (sym.import_as_name, sym.import_as_names, sym.import_from, sym.dotted_as_name)
            imported = imported and not _is_imported(leaf) and not _is(leaf.prev_sibling, "from")
            defined = kind in (sym.funcdef, sym.classdef) and leaf.parent.children[1] is leaf
            if imported or defined or (_is_bound_there(leaf) and kind in given):
                names.add(leaf.value)
        elif leaf.value == "*" and leaf.parent is not None and leaf.parent.type == sym.import_from:
            names.add("xrange")
    return names


def _mixed_tabs(tree: Tree) -> Python2Mark | None:
    """The first mix of tabs and spaces that Python 3 rejects; None if there is none."""
    if "\t" not in tree.text:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(tree.text)
    except TabError as error:
        line = error.lineno or 1
        leaf = next((leaf for leaf in tree.leaves if leaf.lineno >= line and leaf.value.strip()), tree.leaves[-1])
        return Python2Mark(leaf, "tabs and spaces mixed in an indentation", True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    return None


_SYNTAX: tuple[Callable[[Node], str | None], ...] = (_print, _exec, _except, _raise, _def, _backquote, _unequal, _star, _async)
_WORDS = _CALLED | _NAMED | _METHODS | _MODULES | _ITERATORS | _VIEWS | frozenset(n for held in _OF_MODULES.values() for n in held)
_BY_WORD: Mapping[str, tuple[Callable[[Node], str | None], ...]] = {
    **dict.fromkeys(_WORDS, (_name,)),
    "print": (_print, _print_call), "exec": (_exec,), "except": (_except,), "raise": (_raise,), "def": (_def,), "lambda": (_def,),
    "`": (_backquote,), "<>": (_unequal,), "*": (_star,), "async": (_async,), "await": (_async,),
}  # fmt: skip
