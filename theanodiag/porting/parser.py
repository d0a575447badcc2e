"""Builds fissix's syntax trees several times faster than fissix's own parser.

The grammar of an expression has some fourteen levels (`test`, `or_test`, ..., `atom`). For a name alone, fissix's parser
(fissix 24.4, pgen2/parse.py) opens each level, closes each and drops it, for a node with one child is replaced by the child.
Here the levels that a token opens are one `_Levels`, and for each next token it remembers which of them continues: what is inside
of that one was closed with a single child, and is the child. Grammar tables, tokens, classes of the tree and errors are fissix's.
"""

from __future__ import annotations

import functools
import gc
import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

# Grammar additions of Python 3.8 to 3.13 that fissix does not know.
#
# These are `/` between parameters, `with` in parentheses, `match`, `except*`, type parameters, stars in subscripts and annotations, and any
# expression as a decorator.
#
# The grammar is fissix's own with some rules written anew and some added. Kinds of nodes that fissix knows keep their numbers.

_PARAMETER = "tfpdef ['=' test] | '*' [tname] | '**' tname | '/'"
_UNTYPED = "vfpdef ['=' test] | '*' [vname] | '**' vname | '/'"
_CHANGED = {
    "decorator": "'@' namedexpr_test NEWLINE",
    "funcdef": "'def' NAME [typeparams] parameters ['->' test] ':' suite",
    "classdef": "'class' NAME [typeparams] ['(' [arglist] ')'] ':' suite",
    "typedargslist": f"({_PARAMETER}) (',' ({_PARAMETER}))* [',']",
    "varargslist": f"({_UNTYPED}) (',' ({_UNTYPED}))* [',']",
    "tname": "NAME [':' (test|star_expr)]",
    "small_stmt": "(expr_stmt | del_stmt | pass_stmt | flow_stmt | import_stmt | global_stmt | assert_stmt | type_stmt)",
    "annassign": "':' test ['=' (yield_expr|testlist_star_expr)]",
    "compound_stmt": "if_stmt | while_stmt | for_stmt | try_stmt | with_stmt | funcdef | classdef | decorated | async_stmt | match_stmt",
    "for_stmt": "'for' exprlist 'in' testlist_star_expr ':' suite ['else' ':' suite]",
    "except_clause": "'except' ['*'] [test (',' test)* ['as' test]]",
    "listmaker": "(asexpr_test|star_expr) ( comp_for | (',' (asexpr_test|star_expr))* [','] )",
    "testlist_gexp": "(asexpr_test|star_expr) ( comp_for | (',' (asexpr_test|star_expr))* [','] )",
    "dictsetmaker": "( ((test ':' asexpr_test | '**' expr) (comp_for | (',' (test ':' asexpr_test | '**' expr))* [','])) |"
    " ((test [':=' test] | star_expr) (comp_for | (',' (test [':=' test] | star_expr))* [','])) )",
    "subscript": "test [':=' test] | star_expr | [test] ':' [test] [sliceop]",
    "argument": "( test [comp_for] | test ':=' test | test 'as' expr | test '=' asexpr_test | '**' test | '*' test )",
}
"""Rules that replace those of fissix's grammar, which has fewer forms. Forms of Python 2 that would conflict are left out."""
_ADDED = {
    "asexpr_test": "namedexpr_test ['as' expr]",
    "typeparams": "'[' typevar (',' typevar)* [','] ']'",
    "typevar": "['*' | '**'] NAME [':' test] ['=' (test|star_expr)]",
    "type_stmt": "'type' NAME [typeparams] '=' test",
    "match_stmt": "'match' subject ':' NEWLINE INDENT case_block+ DEDENT",
    "subject": "(namedexpr_test|star_expr) (',' (namedexpr_test|star_expr))* [',']",
    "case_block": "'case' patterns [guard] ':' suite",
    "guard": "'if' namedexpr_test",
    "patterns": "pattern (',' pattern)* [',']",
    "pattern": "(expr|star_expr) ['as' expr]",
}
SOFT = {"match": 1001, "case": 1002, "type": 1003}
"""Soft keyword -> number of its token where it is a keyword; elsewhere it is a name."""
_RULE = re.compile(r"^(\w+):((?:.|\n(?!\w+:))*)", re.MULTILINE)


class _Kinds:
    """The numbers of all kinds of nodes, as attributes."""


@functools.cache
def kinds(known: Any) -> Any:
    """Returns fissix's numbers of node kinds (`pygram.python_symbols`), and the numbers of the kinds that theanodiag adds."""
    extended = _Kinds()
    extended.__dict__.update(vars(known))
    last = max(vars(known).values())
    for name in _ADDED:
        if name not in extended.__dict__:
            last += 1
            extended.__dict__[name] = last
    return extended


def grammar(fissix: Callable[[str], Any]) -> Any:
    """Returns the grammar tables. `fissix` returns a fissix module by name."""
    pygram = fissix("pygram")
    with open(pygram._GRAMMAR_FILE, encoding="utf-8") as file:
        text = "\n".join(line for line in file.read().splitlines() if not line.startswith("#"))
    rules = {**dict(_RULE.findall(text)), **_CHANGED, **_ADDED}
    source = io.StringIO("".join(f"{name}: {' '.join(rule.split())}\n" for name, rule in rules.items()))
    tables = fissix("pgen2.pgen").ParserGenerator("the grammar of Python 3", source).make_grammar()
    numbers = vars(kinds(pygram.python_symbols))
    moved = {number: numbers[name] for number, name in tables.number2symbol.items()}
    tables.labels = [(moved.get(kind, kind), value) for kind, value in tables.labels]
    tables.dfas = {moved[number]: dfa for number, dfa in tables.dfas.items()}
    tables.number2symbol = {moved[number]: name for number, name in tables.number2symbol.items()}
    tables.symbol2number = {name: number for number, name in tables.number2symbol.items()}
    tables.start = moved[tables.start]
    for word in ("print", "exec"):
        tables.keywords.pop(word, None)
    for word, kind in SOFT.items():
        tables.tokens[kind] = tables.keywords.pop(word)
    return tables


class _Token(NamedTuple):
    """A token of fissix, with its kind and value."""

    kind: int
    value: str
    start: tuple[int, int]
    end: tuple[int, int]
    line: str


class SoftKeywords:
    """fissix's tokens, with `match`, `case` and `type` marked where they are keywords."""

    def __init__(self, fissix: Callable[[str], Any]) -> None:
        """`fissix` returns a fissix module by name."""
        token, tokenize = fissix("pgen2.token"), fissix("pgen2.tokenize")
        self._generate, self._name = tokenize.generate_tokens, token.NAME
        self._indent, self._dedent, self._newline = token.INDENT, token.DEDENT, token.NEWLINE
        self._between = (tokenize.COMMENT, tokenize.NL)

    def __call__(self, readline: Callable[[], str]) -> Iterator[tuple[Any, ...]]:
        """Yields the tokens of a source."""
        depth, cases, opens = 0, list[int](), False
        line: list[_Token] = []
        try:
            for fields in self._generate(readline):
                token = _Token(*fields)
                if token.kind in (self._indent, self._dedent):
                    depth += 1 if token.kind == self._indent else -1
                    if opens and token.kind == self._indent:
                        cases.append(depth)
                    while cases and cases[-1] > depth:
                        cases.pop()
                    opens = False
                    yield token
                elif not line and token.kind in self._between:
                    yield token
                else:
                    line.append(token)
                    if token.kind == self._newline:
                        statement = [t for t in line if t.kind not in self._between]
                        word = self._keyword(statement, bool(cases) and cases[-1] == depth)
                        opens = word == "match"
                        yield from (t._replace(kind=SOFT[word]) if word and t is statement[0] else t for t in line)
                        line = []
        except Exception:  # fissix has no class of its own for these
            yield from line  # first: the parser may meet the error in them
            raise
        yield from line

    def _keyword(self, statement: list[_Token], among_cases: bool) -> str:
        """The soft keyword with which a statement begins, `''` if none. `statement` includes the line's end."""
        first, second = statement[0], statement[1]
        if first.kind != self._name or first.value not in SOFT or len(statement) < 4:
            return ""
        if first.value == "match":
            return "match" if statement[-2].value == ":" and second.value not in (":", ".", "=") else ""
        if first.value == "case":
            return "case" if among_cases else ""
        return "type" if second.kind == self._name and statement[2].value in ("=", "[") else ""


Node = Any


@contextmanager
def without_collection() -> Iterator[None]:
    """Disables the garbage collector while a tree is built and used. The collector would scan live objects again and again, which takes as
    long as parsing.
    """
    searches = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searches:
            gc.enable()


class _Move(NamedTuple):
    """The parser's transition for a token."""

    state: int
    """The state in which its own node waits or continues."""
    opened: _Levels | None
    """The nodes that the token opens inside, of which it is the first leaf; None: the token is a child of the state's own node."""


class _Resumed(NamedTuple):
    """The transition for a token after levels with a single child, one of which continues."""

    waiting: _Levels | None
    """The levels outside the one that continues."""
    kind: int
    """The kind of the node that continues; the child is its first."""
    move: _Move


class _Levels:
    """Nested nodes that one token opened and that have one child each so far."""

    __slots__ = ("after", "states")

    def __init__(self, states: tuple[int, ...]) -> None:
        self.states = states
        """The state of each, from the outermost to the innermost."""
        self.after: dict[int, _Resumed | None] = {}
        """Next token's label -> how they continue; None: each of them is closed."""


class Parser:
    """A parser of one of fissix's grammars."""

    def __init__(self, grammar: Any, fissix: Callable[[str], Any], tokens: Callable[..., Iterator[Any]] | None = None) -> None:
        """Args:
        grammar: One of fissix's grammars.
        fissix: Returns a module of fissix by its name.
        tokens: Makes the tokens, as fissix's `generate_tokens` does; None: that itself.
        """
        pytree, token, tokenize = fissix("pytree"), fissix("pgen2.token"), fissix("pgen2.tokenize")
        self._grammar, self._operators, self._error = grammar, fissix("pgen2.grammar").opmap, fissix("pgen2.parse").ParseError
        self._tokens, self._skipped = tokens or tokenize.generate_tokens, (tokenize.COMMENT, tokenize.NL)
        self._leaf, self._node = pytree.Leaf, pytree.Node
        self._name, self._op, self._end = token.NAME, token.OP, token.ENDMARKER
        self._first: dict[int, int] = {}
        """Kind of node -> its first state."""
        self._kinds: list[int] = []
        """State -> the kind of node that it belongs to."""
        self._arcs: list[list[tuple[int, int]]] = []
        """State -> label and state after it."""
        self._may_end: list[bool] = []
        """State -> whether its node may be closed in it."""
        for kind, (states, _) in grammar.dfas.items():
            base = self._first[kind] = len(self._kinds)
            for number, arcs in enumerate(states):
                self._kinds.append(kind)
                self._may_end.append((0, number) in arcs)
                self._arcs.append([(label, base + to) for label, to in arcs if (label, to) != (0, number)])
        self._moves: list[dict[int, _Move | None]] = [{} for _ in self._kinds]
        self._levels: dict[tuple[int, ...], _Levels] = {}

    def _opened(self, states: tuple[int, ...]) -> _Levels | None:
        """The levels with these states, always the same object for the same states; None if there are no states."""
        if not states:
            return None
        if states not in self._levels:
            self._levels[states] = _Levels(states)
        return self._levels[states]

    def _move(self, state: int, label: int) -> _Move | None:
        """The transition of a state for a token; None if there is none, which ends the state's node."""
        labels, dfas = self._grammar.labels, self._grammar.dfas
        for arc, after in self._arcs[state]:
            kind = labels[arc][0]
            if arc == label:
                return _Move(after, None)
            if kind >= 256 and label in dfas[kind][1]:
                inside = self._move(self._first[kind], label)
                assert inside is not None  # the label is in the first set of the kind
                return _Move(after, self._opened((inside.state, *(inside.opened.states if inside.opened else ()))))
        return None

    def _resumed(self, levels: _Levels, label: int) -> _Resumed | None:
        """How the levels continue with a token; None if each of them ends. Raises LookupError if the innermost can neither continue nor
        end.
        """
        for at in range(len(levels.states) - 1, -1, -1):
            state = levels.states[at]
            move = self._move(state, label)
            if move is not None:
                return _Resumed(self._opened(levels.states[:at]), self._kinds[state], move)
            if not self._may_end[state]:
                raise LookupError
        return None

    def parse_string(self, text: str) -> Node:
        """Returns the tree of a source that ends with a newline. Raises the same errors as fissix's parser, at the same token."""
        with without_collection():
            return self._parsed(text)

    def _leaves(self, text: str, names: set[str]) -> Iterator[tuple[int, Node]]:
        """Each token as its label and a leaf, whose prefix is what stands before it; names and keywords are added to `names`."""
        new, Leaf, skipped, name, op = object.__new__, self._leaf, self._skipped, self._name, self._op
        keywords, tokens, operators = self._grammar.keywords, self._grammar.tokens, self._operators
        lineno, column, prefix = 1, 0, ""
        for kind, value, start, end, line in self._tokens(io.StringIO(text).readline):
            row, col = start
            if row != lineno or col != column:
                assert (lineno, column) <= start, ((lineno, column), start)
                if lineno < row:
                    prefix += "\n" * (row - lineno)
                    lineno, column = row, 0
                if column < col:
                    prefix += line[column:col]
            if kind in skipped:
                prefix += value
            else:
                label = None
                if kind == op:
                    kind = operators[value]
                elif kind == name:
                    names.add(value)
                    label = keywords.get(value)
                if label is None:
                    label = tokens.get(kind)
                    if label is None:
                        raise self._error("bad token", kind, value, (prefix, start))
                leaf = new(Leaf)
                leaf._prefix = prefix
                leaf.lineno = row
                leaf.column = col
                leaf.type = kind
                leaf.value = value
                leaf.fixers_applied = []
                yield label, leaf
                prefix = ""
            lineno, column = end
            if value.endswith("\n"):
                lineno, column = lineno + 1, 0

    def _refused(self, what: str, leaf: Node) -> Exception:
        """The error that fissix's parser raises about a leaf."""
        error: Exception = self._error(what, leaf.type, leaf.value, (leaf._prefix, (leaf.lineno, leaf.column)))
        return error

    def _parsed(self, text: str) -> Node:
        new, NodeClass, kinds, moves, may_end = object.__new__, self._node, self._kinds, self._moves, self._may_end
        used_names: set[str] = set()
        # The node that grows: its kind, state and children, and the levels around it that wait for it. `stack` has the nodes
        # around those. `levels` were opened in it, with `only` as their child.
        state = self._first[self._grammar.start]
        children: list[Node] = []
        waiting: _Levels | None = None
        stack: list[tuple[int, list[Node], _Levels | None]] = []
        levels: _Levels | None = None
        only: Node = None
        move: _Move | None
        for label, leaf in self._leaves(text, used_names):
            while True:
                if levels is not None:
                    try:
                        resumed = levels.after[label]
                    except KeyError:
                        try:
                            resumed = levels.after[label] = self._resumed(levels, label)
                        except LookupError:
                            raise self._refused("bad input", leaf) from None
                    if resumed is None:
                        children.append(only)
                        levels = None
                    else:
                        stack.append((state, children, waiting))
                        waiting, _, move = resumed
                        children = [only]
                        break
                try:
                    move = moves[state][label]
                except KeyError:
                    move = moves[state][label] = self._move(state, label)
                if move is not None:
                    break
                if not may_end[state]:
                    raise self._refused("bad input", leaf)
                if not stack:
                    raise self._refused("too much input", leaf)
                only = self._closed(new(NodeClass), kinds[state], children) if len(children) > 1 else children[0]
                levels = waiting
                state, children, waiting = stack.pop()
                if levels is None:
                    children.append(only)
            state, levels = move
            if levels is None:
                children.append(leaf)
            else:
                only = leaf
            if leaf.type == self._end and not stack and levels is None:
                break
        else:
            raise self._refused("incomplete input", leaf)
        root = self._node(self._grammar.start, children) if len(children) > 1 else children[0]
        root.used_names = used_names
        return root

    @staticmethod
    def _closed(node: Node, kind: int, children: list[Node]) -> Node:
        """A new node of this kind with these children."""
        node.type = kind
        node.children = children
        node.fixers_applied = None
        for child in children:
            child.parent = node
        return node
