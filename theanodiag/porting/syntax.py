"""Lossless syntax trees for Python 2 and 3 (fissix), and helpers to read them."""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import Span, UnreadableError, line_starts
from . import parser
from .parser import Parser

Node = Any
"""A node or leaf of fissix, which is untyped."""
LONGEST = 8 << 20
"""Maximum number of characters of a source: the tree needs some hundred bytes for each character."""
NAME, STRING = 1, 3
"""Kinds of leaves, by their numbers in Python's `token`."""


@functools.cache
def symbols() -> Any:
    """Returns the numbers of node kinds, by name."""
    return parser.kinds(fissix("pygram").python_symbols)


def enclosing_tries(node: Node) -> Iterator[Node]:
    """Yields the `try` statements that contain a node, the innermost first."""
    outer = node.parent
    while outer is not None:
        if outer.type == symbols().try_stmt:
            yield outer
        outer = outer.parent


@functools.cache
def _drivers() -> tuple[Any, ...]:
    """Parsers of Python 3, of Python 2, and of Python 3 where `exec` is a name."""
    pygram = fissix("pygram")
    grammars = (pygram.python_grammar_no_print_statement, pygram.python_grammar, pygram.python_grammar_no_print_and_exec_statement)
    return tuple(Parser(grammar, fissix) for grammar in grammars)


@functools.cache
def _modern_driver() -> Parser:
    """The parser for syntax of Python 3 that fissix does not support; few sources need it."""
    return Parser(parser.grammar(fissix), fissix, parser.SoftKeywords(fissix))


def _parsers() -> Iterator[tuple[int, Parser]]:
    """Yields (major version of Python, parser), in the order in which they are tried on a source."""
    yield from zip((3, 2, 3), _drivers())
    yield 3, _modern_driver()


def fissix(module: str) -> Any:
    """Returns a module of fissix, imported on first use: only commands that port sources need it."""
    import importlib

    try:
        return importlib.import_module(f"fissix.{module}")
    except OSError:  # its grammars are kept in the user's cache, which cannot be written
        driver = importlib.import_module("fissix.pgen2.driver")
        vars(driver)["load_grammar"] = functools.partial(driver.load_grammar, gp="", save=False)
        return importlib.import_module(f"fissix.{module}")


def parse(text: str, path: str) -> tuple[Node, int]:
    """Returns the tree of a source, and the Python version (2 or 3) whose grammar accepts it; 3 if both do.

    Raises UnreadableError with the place at which every parser stops.
    """
    if len(text) > LONGEST:
        what = f"it has {len(text)} characters of code, more than the {LONGEST} that are read"
        raise UnreadableError(what, path=path, help="leave the file out")
    whole = text if text.endswith("\n") else f"{text}\n"
    strings = f_strings(whole)
    places: list[tuple[int, int]] = []
    for python, driver in _parsers():
        try:
            root = driver.parse_string(masked(whole, strings) if strings else whole)
            if strings:
                _unmask(root, whole, strings)
            return root, python
        except Exception as error:  # ParseError, TokenError, IndentationError: fissix has no class for all of them
            places.append(_place(error))
    line, column = max(places)
    starts = line_starts(text)
    start = min(starts[min(max(line, 1), len(starts)) - 1] + column, len(text))
    help = "it is neither Python 2 nor Python 3; correct it, or port the other files without it"
    raise UnreadableError("syntax error", span=Span(path, text, start, min(start + 1, len(text))), help=help)


def _unmask(root: Node, text: str, strings: Sequence[FString]) -> None:
    """Restores the text of f-strings, which were masked for the parser, in their leaves."""
    starts = line_starts(text)
    of_start = {one.start: one for one in strings}
    for leaf in _leaves(root):
        if leaf.type == STRING:
            one = of_start.get(starts[leaf.lineno - 1] + leaf.column)
            if one is not None:
                leaf.value = text[one.start : one.end]


def _leaves(root: Node) -> Iterator[Node]:
    """All leaves below a node, in the order of the text."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.children:
            stack.extend(reversed(node.children))
        else:
            yield node


def _place(error: Exception) -> tuple[int, int]:
    """(line, column) to which an error of fissix refers; lines count from 1, columns from 0."""
    context = getattr(error, "context", None)
    if context and isinstance(context[-1], tuple):
        return int(context[-1][0]), int(context[-1][1])
    last = error.args[-1] if error.args else None
    if isinstance(last, tuple) and len(last) >= 2 and all(isinstance(n, int) for n in last[:2]):
        return int(last[0]), int(last[1])
    return getattr(error, "lineno", None) or 1, 0


class Tree:
    """A syntax tree with the positions of its parts in the text."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path = text, path
        self.root, self.python = parse(text, path)
        self._starts = line_starts(text)
        self.fields: dict[int, tuple[Node, ...]] = {}
        """The expressions in each f-string, in parentheses, by the identity of its leaf."""
        if MAY_BE.search(text):
            strings = {one.start: one for one in f_strings(text)}
            for leaf in _leaves(self.root):
                if leaf.type == STRING and (one := strings.get(self.start(leaf))) is not None:
                    self._read_fields(leaf, one.fields)

    def _read_fields(self, leaf: Node, fields: Sequence[tuple[int, int]]) -> None:
        """Parses the expressions in an f-string; the nodes get their places in this text."""
        read = []
        for start, end in fields:
            inner = Tree(f"({self.text[start:end]}\n)\n", self.path)  # a comment may end the expression
            first = first_leaf(inner.root)
            whole = first.parent
            for one in inner.leaves:
                at = inner.start(one) + start - 1
                one.lineno = bisect.bisect_right(self._starts, at)
                one.column = at - self._starts[one.lineno - 1]
            whole.parent = leaf.parent
            self.fields.update(inner.fields)
            read.append(whole)
        self.fields[id(leaf)] = tuple(read)

    @functools.cached_property
    def leaves(self) -> tuple[Node, ...]:
        """All leaves in the order of the text; an f-string is followed by the leaves of its expressions."""
        if not self.fields:
            return tuple(_leaves(self.root))
        leaves, stack = [], [self.root]
        while stack:
            node = stack.pop()
            if node.children:
                stack.extend(reversed(node.children))
            else:
                leaves.append(node)
                stack.extend(reversed(self.fields.get(id(node), ())))
        return tuple(leaves)

    def release(self) -> None:
        """Takes the tree apart so that its memory is freed at once rather than by the next garbage collection; the tree cannot be used
        afterwards."""
        stack = [self.root, *(one for read in self.fields.values() for one in read)]
        while stack:
            node = stack.pop()
            node.parent = None
            stack.extend(node.children)

    def start(self, node: Node) -> int:
        """Returns the offset of the first character, without preceding whitespace and comments."""
        leaf = first_leaf(node)
        return self._starts[int(leaf.lineno) - 1] + int(leaf.column)

    def end(self, node: Node) -> int:
        """Offset just past the last character."""
        leaf = last_leaf(node)
        return self._starts[int(leaf.lineno) - 1] + int(leaf.column) + len(leaf.value)

    def source(self, node: Node) -> str:
        """Returns the text of a node."""
        return self.text[self.start(node) : self.end(node)]

    def span(self, node: Node, last: Node | None = None) -> Span:
        """Returns the Span from the first character of `node` to the last one of `last`, or of `node` if `last` is None."""
        return Span(self.path, self.text, self.start(node), self.end(node if last is None else last))

    def indent(self, node: Node) -> str:
        """Returns the white space before the first token of the line on which a node starts."""
        start = self.start(node)
        line = self.text[self.text.rfind("\n", 0, start) + 1 : start]
        return line[: len(line) - len(line.lstrip())]


def first_leaf(node: Node) -> Node:
    """Returns the first leaf below a node with a non-empty text."""
    while node.children:
        node = next((c for c in node.children if c.children or c.value), node.children[0])
    return node


def last_leaf(node: Node) -> Node:
    """Returns the last leaf below a node with a non-empty text."""
    while node.children:
        node = next((c for c in reversed(node.children) if c.children or c.value), node.children[-1])
    return node


def statements(node: Node) -> Iterator[Node]:
    """Yields every import statement below `node`; does not descend into expressions."""
    sym = symbols()
    return _simple(node, (sym.import_name, sym.import_from))


def assignments(node: Node) -> Iterator[Node]:
    """Yields every assignment below `node`; does not descend into expressions."""
    return _simple(node, (symbols().expr_stmt,))


def _simple(node: Node, wanted: Sequence[int]) -> Iterator[Node]:
    """Yields the statements of the kinds `wanted`, in the order of the text."""
    sym = symbols()
    compound = {
        sym.file_input, sym.simple_stmt, sym.suite, sym.if_stmt, sym.while_stmt, sym.for_stmt, sym.try_stmt, sym.with_stmt, sym.funcdef,
        sym.classdef, sym.decorated, sym.async_stmt, sym.async_funcdef, sym.match_stmt, sym.case_block,
    }  # fmt: skip
    stack = [node]
    while stack:
        part = stack.pop()
        if part.type in wanted:
            yield part
        elif part.type in compound:
            stack.extend(reversed(part.children))


def assigned(statement: Node) -> Node | None:
    """Returns the first name of the value in `name = a.b.c`; None for any other assignment."""
    if len(statement.children) != 3:
        return None
    name, sign, value = statement.children
    if name.children or sign.children or sign.value != "=" or name.type != NAME:
        return None
    if not value.children:
        return value if value.type == NAME else None
    head, trailers = value.children[0], value.children[1:]
    plain = value.type == symbols().power and all(t.type == symbols().trailer and t.children[0].value == "." for t in trailers)
    return head if plain and not head.children and head.type == NAME else None


def dotted(node: Node) -> str:
    """Returns the text of a dotted name such as `a.b.c`, without whitespace."""
    return "".join(leaf.value for leaf in node.leaves()) if node.children else str(node.value)


def listed(node: Node, sym_list: int) -> list[Node]:
    """Returns the elements of a comma-separated list; a node that is not a list is returned as its only element."""
    return [c for c in node.children if c.children or c.value != ","] if node.type == sym_list else [node]


def arguments(trailer: Node) -> list[Node]:
    """Returns the arguments of a call, without parentheses."""
    inside = trailer.children[1:-1]
    return listed(inside[0], symbols().arglist) if inside else []


def keyword(argument: Node) -> str | None:
    """Returns the name of a keyword argument; `*` or `**` for an unpacked one; None for a positional one."""
    if argument.type == symbols().argument:
        head = argument.children[0]
        if not head.children and head.value in ("*", "**"):
            return str(head.value)
        if len(argument.children) == 3 and not argument.children[1].children and argument.children[1].value == "=":
            return str(head.value)
        return None
    if argument.type == symbols().star_expr:
        return "*"
    return None


MAY_BE = re.compile(r"""(?i)(?<![\w'"])(?:[ft]r?|r[ft])['"]""")
"""Matches the beginning of an f-string."""
_START = re.compile(r"""#[^\n]*|(?P<prefix>(?<!\w)[A-Za-z]{1,2})?(?P<quote>\'\'\'|\"\"\"|'|")""")
_PLAIN = {quote: re.compile(rf"(?:\\.|(?!{quote}).)*{quote}", re.S) for quote in ("'", '"', "'''", '"""')}
_NAMED = re.compile(r"\\N\{[^}]*\}")
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class FString:
    """One f-string; offsets refer to the text of the source."""

    start: int
    end: int
    """Offset just past its closing quote."""
    quote: str
    fields: tuple[tuple[int, int], ...]
    """Start and end of each expression, including those in format specifications."""

    def masked(self, text: str) -> str:
        """Returns a string of the same length and line structure that only its own quotes end."""
        begin = text.index(self.quote, self.start) + len(self.quote)
        inside = text[begin : self.end - len(self.quote)]
        if len(self.quote) == 1:
            inside = re.sub(r"[^\n](\n)|[^\n]", lambda m: "\\\n" if m[1] else "x", inside)
        else:
            inside = re.sub(r"[^\n]", "x", inside)
        return f"f{self.quote.rjust(begin - self.start - 1, 'r')}{inside}{self.quote}"


class _UnclosedError(ValueError):
    """A string that does not end."""


def f_strings(text: str) -> tuple[FString, ...]:
    """Returns the f-strings of a source, except nested ones; empty if a string is not closed."""
    strings: list[FString] = []
    if MAY_BE.search(text) is None:
        return ()
    at = 0
    try:
        while (start := _START.search(text, at)) is not None:
            quote = start["quote"]
            if quote is None:
                at = start.end()
            elif set((start["prefix"] or "").lower()) & {"f", "t"}:
                fields: list[tuple[int, int]] = []
                at = _literal(text, start.end(), quote, fields, raw="r" in start["prefix"].lower())
                strings.append(FString(start.start(), at, quote, tuple(fields)))
            else:
                at = _plain(text, start.end(), quote)
    except (_UnclosedError, RecursionError):
        return ()
    return tuple(strings)


def masked(text: str, strings: Sequence[FString]) -> str:
    """Returns the source with its f-strings masked."""
    parts, at = [], 0
    for one in strings:
        parts += [text[at : one.start], one.masked(text)]
        at = one.end
    return "".join([*parts, text[at:]])


def _plain(text: str, at: int, quote: str) -> int:
    """Position after the end of a string that is not an f-string."""
    end = _PLAIN[quote].match(text, at)
    if end is None or (len(quote) == 1 and re.search(r"(?<!\\)(?:\\\\)*\n", end[0])):
        raise _UnclosedError
    return end.end()


def _literal(text: str, at: int, quote: str, fields: list[tuple[int, int]], *, raw: bool, spec: bool = False) -> int:
    """Position after the end of the f-string that contains `at`; with `spec`, of the format specification of one of its fields."""
    while at < len(text):
        if text.startswith(quote, at):
            if spec:
                raise _UnclosedError
            return at + len(quote)
        c = text[at]
        if c == "\\":
            name = None if raw else _NAMED.match(text, at)
            at = name.end() if name else at + (1 if text[at + 1 : at + 2] in "{}" else 2)
        elif c == "{":
            if not spec and text.startswith("{{", at):
                at += 2
            else:
                at = _field(text, at + 1, quote, fields, raw=raw)
        elif c == "}" and spec:
            return at
        elif c == "\n" and len(quote) == 1:
            raise _UnclosedError
        else:
            at += 1
    raise _UnclosedError


def _field(text: str, at: int, quote: str, fields: list[tuple[int, int]], *, raw: bool) -> int:
    """Position after the `}` of a replacement field whose expression begins at `at`."""
    begin, depth = at, 0
    while at < len(text):
        c = text[at]
        start = _START.match(text, at) if c in "#'\"" or c.isalpha() else None
        if start is not None and start.end() > at:
            at = _nested(text, start)
        elif c in _OPENING:
            depth, at = depth + 1, at + 1
        elif c in _CLOSING and depth:
            depth, at = depth - 1, at + 1
        elif depth == 0 and (c in "}:" or (c == "!" and text[at + 1 : at + 2] != "=")):
            break
        elif c.isalnum() or c == "_":
            at = re.compile(r"\w+").match(text, at).end()  # type: ignore[union-attr]
        else:
            at += 1
    expression = text[begin:at].rstrip()
    if expression.endswith("=") and expression[-2:-1] not in ("=", "!", "<", ">"):
        expression = expression[:-1]
    fields.append((begin, begin + len(expression)))
    if text.startswith("!", at):
        at = re.compile(r"!\s*\w*\s*").match(text, at).end()  # type: ignore[union-attr]
    if text.startswith(":", at):
        at = _literal(text, at + 1, quote, fields, raw=raw, spec=True)
    if not text.startswith("}", at):
        raise _UnclosedError
    return at + 1


def _nested(text: str, start: re.Match[str]) -> int:
    """The position after a comment or a string inside an expression; fields of such a string are found when the expression is parsed."""
    if start["quote"] is None:
        return start.end()
    if set((start["prefix"] or "").lower()) & {"f", "t"}:
        return _literal(text, start.end(), start["quote"], [], raw="r" in start["prefix"].lower())
    return _plain(text, start.end(), start["quote"])
