"""Which expressions of a source are integers and which are floats, as far as its scopes show; other expressions stay undecided.

The kind of a name is known only if all its bindings are: a parameter, an import or an item of a list makes it unknown.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field
from typing import Optional, Union

from .syntax import NAME, Node, Tree, arguments, keyword, listed, symbols

NUMBER = 2
"""Token number of a number literal, in Python's `token`."""


class Number(enum.Enum):
    """The kind of number that an expression is."""

    WHOLE = "integers"
    FLOAT = "floats"


@dataclass(frozen=True)
class _Changed:
    """The binding of `x` by an augmented assignment such as `x += value`."""

    value: Node


_Bound = Union[Node, Number, _Changed, None]
"""The value that a name is bound to: an expression, a kind of number, or None if unknown."""
_Kind = Optional[Number]
_FLOAT_CALLS = frozenset((
    "float", "sqrt", "exp", "log", "log2", "log10", "mean", "std", "time", "clock", "norm", "uniform", "random", "tanh", "sin", "cos",
))  # fmt: skip
"""Functions that return floats for all arguments."""
_HIDES = frozenset(("exec", "execfile", "globals", "locals", "vars"))
"""Functions that may bind names which the text does not show."""
_ROUNDS = 20
"""Maximum number of rounds that determine kinds of names; if a source needs more, none of its kinds is known."""


@dataclass(eq=False)
class _Scope:
    """A module, function or class, with the bindings of its names."""

    parent: _Scope | None
    is_class: bool = False
    bound: dict[str, list[_Bound]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    """Name -> line of its first binding."""

    def bind(self, leaf: Node, value: _Bound) -> None:
        self.bound.setdefault(leaf.value, []).append(value)
        self.lines.setdefault(leaf.value, leaf.lineno)


class Numbers:
    """The kinds of the number expressions of one source."""

    def __init__(self, tree: Tree) -> None:
        self._sym = sym = symbols()
        self._tuples = (sym.testlist_star_expr, sym.exprlist, sym.testlist, sym.testlist_gexp, sym.listmaker)
        self._loops = {sym.for_stmt, sym.comp_for, getattr(sym, "old_comp_for", sym.comp_for)}
        self._module = _Scope(None)
        self._scopes: dict[int, _Scope] = {id(tree.root): self._module}
        self._globals: list[tuple[_Scope, str]] = []
        self._star_line = 0
        self._imported: set[str] = set()
        self._gather(tree.root)
        self._made = {name for scope in self._scopes.values() for name in scope.bound} - self._imported
        self._kinds: dict[tuple[int, str], Number] = {}
        if not any(leaf.type == NAME and leaf.value in _HIDES for leaf in tree.leaves):
            self._settle()

    def kind(self, node: Node) -> _Kind:
        """Returns the kind of number that an expression is; None if unknown."""
        at, below = node.parent, node
        while at is not None and not (id(at) in self._scopes and (at.parent is None or below is at.children[-1])):
            at, below = at.parent, at
        return self._kind(node, self._scopes[id(at)] if at is not None else self._module)

    def _gather(self, root: Node) -> None:
        """Records the bindings of each name, scope by scope."""
        stack: list[tuple[Node, _Scope]] = [(root, self._module)]
        while stack:
            node, scope = stack.pop()
            if id(node) in self._scopes and node is not root:
                scope = self._scopes[id(node)]
            for child in reversed(node.children):
                if child.children:
                    self._bind(child, scope)
                    stack.append((child, scope))
        for scope, name in self._globals:
            for value in scope.bound.pop(name, ()):
                self._module.bound.setdefault(name, []).append(value)

    def _bind(self, node: Node, scope: _Scope) -> None:
        """Records the names that one node binds."""
        sym, kind, children = self._sym, node.type, node.children
        if kind in (sym.funcdef, sym.classdef):
            scope.bind(children[1], None)
            inner = self._scopes[id(node)] = _Scope(scope, kind == sym.classdef)
            if kind == sym.funcdef:
                self._unknown(children[2], inner)
        elif kind == sym.expr_stmt:
            self._assignment(node, scope)
        elif kind in self._loops:
            at = 1 + (not children[0].children and children[0].value == "async")
            self._loop(children[at], children[at + 2], scope)
        elif kind in (sym.import_name, sym.import_from):
            if not children[-1].children and children[-1].value == "*":
                self._star_line = node.get_lineno()
            self._imported.update(leaf.value for leaf in node.leaves() if leaf.type == NAME)
            self._unknown(node, scope)
        elif kind == sym.global_stmt:
            self._globals += [(scope, leaf.value) for leaf in children[1:] if leaf.type == NAME]
        elif kind == sym.namedexpr_test:
            scope.bind(children[0], children[2])
        elif kind == sym.lambdef:
            for child in children[1:-2]:
                self._unknown(child, scope)
        elif kind == sym.except_clause or (len(children) > 2 and not children[-2].children and children[-2].value == "as"):
            self._unknown(children[-1], scope)

    def _unknown(self, node: Node, scope: _Scope) -> None:
        """Binds each name in a node to an unknown value."""
        for leaf in node.leaves():
            if leaf.type == NAME:
                scope.bind(leaf, None)

    def _assignment(self, node: Node, scope: _Scope) -> None:
        children, sym = node.children, self._sym
        if children[1].children and children[1].type == sym.annassign:
            value = children[1].children
            if not children[0].children and len(value) > 2:
                scope.bind(children[0], value[-1])
        elif children[1].value == "=":
            for target in children[:-1:2]:
                self._target(target, children[-1], scope)
        elif not children[0].children:
            scope.bind(children[0], _Changed(children[2]) if children[1].value in ("+=", "-=", "*=", "/=", "//=", "%=") else None)

    def _target(self, target: Node, value: _Bound, scope: _Scope) -> None:
        """Binds the names of a target to a value."""
        if not target.children:
            if target.type == NAME:
                scope.bind(target, value)
            return
        targets = self._parts(target)
        if targets is None:
            return
        values: list[_Bound] = [None] * len(targets)
        if isinstance(value, Number):
            values = [value] * len(targets)
        elif value is not None and not isinstance(value, _Changed):
            beside = self._parts(value)
            if beside is not None and len(beside) == len(targets) and not any(self._is_star(p) for p in (*beside, *targets)):
                values = list(beside)
            elif value.children and value.type == self._sym.power and _attribute(value.children[-1]) == "shape":
                values = [Number.WHOLE] * len(targets)
        for part, one in zip(targets, values):
            self._target(part, one, scope)

    def _is_star(self, part: Node) -> bool:
        return bool(part.children) and part.type == self._sym.star_expr

    def _parts(self, node: Node) -> list[Node] | None:
        """The items of a tuple or list display; None for other nodes."""
        if not node.children:
            return None
        if node.type == self._sym.atom and node.children[0].value in "([" and len(node.children) == 3:
            inside = node.children[1]
            return self._parts(inside) if inside.children and inside.type in self._tuples else [inside]
        if node.type == self._sym.star_expr:
            return [node.children[1]]
        return listed(node, node.type) if node.type in self._tuples else None

    def _loop(self, target: Node, over: Node, scope: _Scope) -> None:
        """Binds the targets of a loop: `for i in range(n)`, `for i, x in enumerate(y)`; others to unknown values."""
        name = over.children[0] if over.children and over.type == self._sym.power and len(over.children) == 2 else None
        called = name.value if name is not None and not name.children and over.children[1].children[0].value == "(" else ""
        if called in ("range", "xrange") and not target.children:
            self._target(target, Number.WHOLE, scope)
        elif called == "enumerate" and (parts := self._parts(target)) is not None and len(parts) == 2:
            self._target(parts[0], Number.WHOLE, scope)
            self._target(parts[1], None, scope)
        else:
            self._target(target, None, scope)

    def _settle(self) -> None:
        """Determines the kinds of names. All are first assumed to be integers; names whose bindings contradict this are removed until none
        does. Then the same for floats.
        """
        scopes = {id(scope): scope for scope in self._scopes.values()}
        open_ = [(scope, name) for scope in scopes.values() for name, held in scope.bound.items() if self._is_shown(scope, name, held)]
        for wanted in (Number.WHOLE, Number.FLOAT):
            here = [(scope, name) for scope, name in open_ if (id(scope), name) not in self._kinds]
            self._kinds.update(((id(scope), name), wanted) for scope, name in here)
            for _ in range(_ROUNDS):
                wrong = [key for key in here if not self._holds(*key, wanted)]
                for scope, name in wrong:
                    del self._kinds[id(scope), name]
                here = [key for key in here if (id(key[0]), key[1]) in self._kinds]
                if not wrong:
                    break
            else:
                for scope, name in here:
                    del self._kinds[id(scope), name]

    def _is_shown(self, scope: _Scope, name: str, held: list[_Bound]) -> bool:
        """Returns whether all bindings of a name are known and none may come from a star import."""
        return None not in held and not (scope is self._module and scope.lines.get(name, 0) <= self._star_line)

    def _holds(self, scope: _Scope, name: str, wanted: Number) -> bool:
        for value in scope.bound[name]:
            if isinstance(value, Number):
                kind: _Kind = value
            elif isinstance(value, _Changed):
                kind = _of_both(wanted, self._kind(value.value, scope))
            else:
                kind = self._kind(value, scope) if value is not None else None
            if kind is not wanted:
                return False
        return True

    def _kind(self, node: Node, scope: _Scope) -> _Kind:
        sym, children, kind = self._sym, node.children, node.type
        if not children:
            return _of_number(node.value) if kind == NUMBER else self._of_name(node.value, scope) if kind == NAME else None
        if kind == sym.power:
            return self._of_power(children, scope)
        if kind == sym.atom:
            return self._kind(children[1], scope) if len(children) == 3 and children[0].value == "(" else None
        if kind == sym.factor:
            return self._kind(children[1], scope)
        if kind in (sym.term, sym.arith_expr, sym.shift_expr, sym.and_expr, sym.xor_expr, sym.expr):
            common = self._kind(children[0], scope)
            for part in children[2::2]:
                common = _of_both(common, self._kind(part, scope))
            return common
        if kind == sym.test and len(children) == 5:
            return _if_same(self._kind(children[0], scope), self._kind(children[4], scope))
        return None

    def _of_name(self, name: str, scope: _Scope) -> _Kind:
        at: _Scope | None = scope
        while at is not None:
            if name in at.bound and (not at.is_class or at is scope):
                return self._kinds.get((id(at), name))
            at = at.parent
        return None

    def _of_power(self, children: list[Node], scope: _Scope) -> _Kind:
        """The kind of a name or atom with the calls, attributes, subscripts and exponent after it; None if unknown."""
        if len(children) > 2 and not children[-2].children and children[-2].value == "**":
            base = self._kind(children[0], scope) if len(children) == 3 else self._of_power(children[:-2], scope)
            exponent = children[-1]
            if Number.FLOAT in (base, self._kind(exponent, scope)):
                return Number.FLOAT
            return base if not exponent.children and exponent.type == NUMBER else None
        head, last = children[0], children[-1]
        if not last.children:
            return None
        if last.children[0].value == "(":
            name = head.value if len(children) == 2 and not head.children else _attribute(children[-2])
            return self._of_call(str(name), last, plain=len(children) == 2, scope=scope) if name else None
        index = last.children[1]
        one = last.children[0].value == "[" and (index.children or index.value != ":")
        sliced = bool(index.children) and index.type in (self._sym.subscript, self._sym.subscriptlist)
        return Number.WHOLE if one and not sliced and _attribute(children[-2]) == "shape" else None

    def _of_call(self, name: str, trailer: Node, *, plain: bool, scope: _Scope) -> _Kind:
        if plain and name in self._made:
            return None
        given = arguments(trailer)
        if plain and name in ("len", "int", "ord", "long") and name not in self._imported:
            return Number.WHOLE
        if plain and name in ("abs", "min", "max") and name not in self._imported and not self._star_line:
            kinds = {self._kind(a, scope) if keyword(a) is None else None for a in given}
            return Number.WHOLE if kinds == {Number.WHOLE} and (name == "abs" or len(given) > 1) else None
        if name in ("astype", "cast") and given:
            dtype = "".join(leaf.value for leaf in given[-1].leaves())
            return Number.FLOAT if re.search(r"float", dtype) else None
        return Number.FLOAT if name in _FLOAT_CALLS else None


def _attribute(trailer: Node) -> str | None:
    """The name of the attribute in a trailer such as `.shape`; None for a call or an index."""
    return str(trailer.children[1].value) if trailer.children and trailer.children[0].value == "." else None


def _of_number(text: str) -> _Kind:
    text = text.lower()
    return Number.FLOAT if not text.startswith(("0x", "0b", "0o")) and any(c in text for c in ".ej") else Number.WHOLE


def _of_both(a: _Kind, b: _Kind) -> _Kind:
    """The kind of number of a sum, product or quotient of kinds `a` and `b`, with Python 2's division."""
    return Number.FLOAT if Number.FLOAT in (a, b) else _if_same(a, b)


def _if_same(a: _Kind, b: _Kind) -> _Kind:
    return a if a is b else None
