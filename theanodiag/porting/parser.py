"""Builds fissix's syntax trees several times faster than fissix's own parser.

The grammar of an expression has some fourteen levels (`test`, `or_test`, ..., `atom`). For a name alone, fissix's parser
(fissix 24.4, pgen2/parse.py) opens each level, closes each and drops it, for a node with one child is replaced by the child.
Here the levels that a token opens are one `_Levels`, and for each next token it remembers which of them continues: what is inside
of that one was closed with a single child, and is the child. Grammar tables, tokens, classes of the tree and errors are fissix's.
"""

from __future__ import annotations

import gc
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

Node = Any


@contextmanager
def without_collection() -> Iterator[None]:
    """Disables the garbage collector while a tree is built and used: it would repeatedly scan live objects, which takes as long as
    parsing."""
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
        """The tree of a source that ends with a newline. Raises the same errors as fissix's parser, at the same token."""
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
