"""Writes the statement of a script that compiles a function with other inputs, updates or values in it, in the names of the script; reads
the one that makes a loop (`scan`)."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..ir import Site
from .cells import line_of
from .script_names import outside
from .source_changes import calls_of, parsed

COMPILERS = ("function", "pfunc")
"""Functions of the framework that compile one."""
STATEMENTS = (ast.Assign, ast.AnnAssign, ast.Return, ast.Expr)


@dataclass(frozen=True)
class Compiling:
    """The statement that compiles a function."""

    statement: ast.Assign | ast.AnnAssign | ast.Return | ast.Expr
    in_method: bool
    """Whether `self` has a meaning there."""

    @property
    def inputs(self) -> list[str]:
        """Returns the expressions of the inputs, in order; empty if the statement does not show them as a list."""
        found = _argument(_call(self.statement), "inputs", 0)
        return [ast.unparse(_variable(e)) for e in found.elts] if isinstance(found, (ast.List, ast.Tuple)) else []

    def changed(
        self,
        *,
        inputs: Sequence[str] | None = None,
        givens: Mapping[str, str] | None = None,
        updates: Callable[[str], str] | None = None,
    ) -> str:
        """Returns the statement with other inputs: `inputs` are expressions to keep, the other entries are replaced by new ones. `givens`
        are added to its own; `updates` is a function of the expression of its own updates.
        """
        new = copy.deepcopy(self.statement)
        call = _call(new)
        if inputs is not None:
            own = _argument(call, "inputs", 0)
            kept = {ast.unparse(_variable(e)): e for e in own.elts} if isinstance(own, (ast.List, ast.Tuple)) else {}
            _set(call, "inputs", ast.List([kept.get(name) or _expression(name) for name in inputs], ast.Load()), 0)
        if givens:
            _set(call, "givens", _with_pairs(_argument(call, "givens", None), givens), None)
        if updates is not None:
            before = _argument(call, "updates", None)
            _set(call, "updates", _expression(updates(ast.unparse(before) if before is not None else "[]")), None)
        return f"{ast.unparse(ast.fix_missing_locations(new))}  # line {self.statement.lineno}"

    def call(self, inputs: Sequence[str], updates: str, unused: str | None, *, returns: bool = True) -> str:
        """Returns the call with other inputs and updates, and with `on_unused_input`. With `returns`, it keeps its results and its
        `givens`.
        """
        call = copy.deepcopy(_call(self.statement))
        _set(call, "inputs", ast.List([_expression(name) for name in inputs], ast.Load()), 0)
        _set(call, "updates", _expression(updates), None)
        if unused is not None:
            _set(call, "on_unused_input", ast.Constant(unused), None)
        if not returns:
            call.keywords = [k for k in call.keywords if k.arg != "givens"]
            _set(call, "outputs", ast.List([], ast.Load()), 1)
        return ast.unparse(ast.fix_missing_locations(call))

    @property
    def listed_updates(self) -> str:
        """Returns the updates of the statement as an expression of a list."""
        own = _argument(_call(self.statement), "updates", None)
        text = ast.unparse(own) if own is not None else "[]"
        return text if isinstance(own, (ast.List, ast.ListComp)) else f"list(dict({text}).items())"

    def replaced(self, name: str) -> str:
        """Returns the statement with the call replaced by a name."""
        call = _call(self.statement)

        class Replaced(ast.NodeTransformer):
            def visit_Call(self, node: ast.Call) -> ast.expr:
                return ast.Name(name, ast.Load()) if ast.unparse(node) == ast.unparse(call) else node

        return ast.unparse(ast.fix_missing_locations(Replaced().visit(copy.deepcopy(self.statement))))


def find_compiling(text: str, site: Site | None) -> Compiling | None:
    r"""Returns the statement at a line of a text that compiles one function, and nothing else; None if the text does not show it.

    >>> found = find_compiling("f = function([x, i], y, updates=ups)", Site("m.py", 1))
    >>> found.changed(inputs=["i"], givens={"x": "data[i]"}, updates="more({})".format)
    'f = function([i], y, updates=more(ups), givens={x: data[i]})  # line 1'
    """
    tree, line = parsed(text), line_of(text, site) if site is not None else None
    if line is None or tree is None:
        return None
    around = [n for n in ast.walk(tree) if isinstance(n, (*STATEMENTS, ast.FunctionDef)) and covers(n, line)]
    methods = [n for n in around if isinstance(n, ast.FunctionDef) and any(a.arg == "self" for a in n.args.args)]
    found = [n for n in around if isinstance(n, STATEMENTS) and len(_calls(n)) == 1]
    return Compiling(found[-1], bool(methods)) if found else None


def named_there(text: str, site: Site | None, expression: str) -> str:
    """Returns an attribute of an object by its name where the function at a place is compiled: `self.cost` in a method, else `net.cost`."""
    compiling = find_compiling(text, site)
    return expression if compiling is not None and compiling.in_method else outside(text, expression)


def covers(node: ast.stmt | ast.expr, line: int) -> bool:
    """Returns whether `line` is one of the lines of a statement or expression."""
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _calls(node: ast.AST) -> list[ast.Call]:
    """The calls in a statement that compile a function."""
    return [c for c in ast.walk(node) if isinstance(c, ast.Call) and ast.unparse(c.func).rpartition(".")[2] in COMPILERS]


def _call(node: ast.AST) -> ast.Call:
    return _calls(node)[0]


def _argument(call: ast.Call, name: str, position: int | None) -> ast.expr | None:
    by_name = next((k.value for k in call.keywords if k.arg == name), None)
    return by_name or (call.args[position] if position is not None and position < len(call.args) else None)


def _set(call: ast.Call, name: str, value: ast.expr, position: int | None) -> None:
    """Sets an argument where it is, by position or by name."""
    keyword = next((k for k in call.keywords if k.arg == name), None)
    if keyword is not None:
        keyword.value = value
    elif position is not None and position < len(call.args):
        call.args[position] = value
    else:
        call.keywords.append(ast.keyword(name, value))


def _variable(entry: ast.expr) -> ast.expr:
    """The variable of an input, also of `In(x, borrow=True)` and `Param(x)`."""
    return entry.args[0] if isinstance(entry, ast.Call) and entry.args else entry


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _with_pairs(before: ast.expr | None, more: Mapping[str, str]) -> ast.expr:
    """Values of variables with others in addition, as a dictionary where they are one."""
    if before is None or isinstance(before, ast.Dict):
        keys, values = (list(before.keys), list(before.values)) if isinstance(before, ast.Dict) else ([], [])
        return ast.Dict([*keys, *map(_expression, more)], [*values, *map(_expression, more.values())])
    pairs = ", ".join(f"({name}, {value})" for name, value in more.items())
    return _expression(f"list(dict({ast.unparse(before)}).items()) + [{pairs}]")


POSITIONS = ("fn", "sequences", "outputs_info", "non_sequences", "n_steps")
"""Arguments of `scan`, in order."""
WITHOUT_EFFECT = ("name", "strict", "profile", "allow_gc")
"""Arguments that do not change the results."""


@dataclass(frozen=True)
class Looping:
    """A loop as the text of the script shows it."""

    line: int
    given: Mapping[str, str]
    """Argument -> its expression."""
    parts: Mapping[str, tuple[str, ...]]
    """Argument -> the expressions of its elements, one if it is no list."""
    target: str
    """What its outputs and its updates are assigned to."""
    outputs: int
    """Number of its outputs."""

    def listed(self, name: str) -> tuple[str, ...]:
        """Returns the expressions of an argument's elements; empty if it is not given."""
        return self.parts.get(name, ())


def find_looping(text: str, site: Site | None = None) -> Looping | None:
    r"""Returns the statement that assigns the outputs and the updates of a loop: the one at the line of `site`, or else the only one in the
    text.

    None if there is no such statement, if the steps of the loop read more than one state back, or if an argument is a list that the
    text does not show.

    >>> found = find_looping("h, _ = theano.scan(step, [x, m], outputs_info=h0)", Site("m.py", 1))
    >>> found.listed("sequences"), found.listed("outputs_info"), found.target
    (('x', 'm'), ('h0',), '(h, _)')
    """
    tree = parsed(text)
    made, line = calls_of(text, "scan"), line_of(text, site) if site is not None else None
    if tree is None or (len(made) != 1 if site is None else line is None):
        return None
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Assign) and n.value in made and (line is None or covers(n, line))]
    call, target = (found[0].value, found[0].targets[0]) if len(found) == 1 and len(found[0].targets) == 1 else (None, None)
    if not isinstance(call, ast.Call) or not isinstance(target, ast.Tuple) or len(target.elts) != 2:
        return None
    given = {**dict(zip(POSITIONS, call.args)), **{k.arg or "**": k.value for k in call.keywords if k.arg not in WITHOUT_EFFECT}}
    if not set(given) <= set(POSITIONS) or any(isinstance(a, ast.Starred) for a in call.args) or not {"fn", "outputs_info"} <= set(given):
        return None
    parts = {name: _parts(tree, given[name]) for name in POSITIONS[1:4] if name in given}
    outputs = target.elts[0].elts if isinstance(target.elts[0], (ast.Tuple, ast.List)) else [target.elts[0]]
    listed = {name: own for name, own in parts.items() if own is not None}
    if len(listed) < len(parts) or len(outputs) != len(listed["outputs_info"]) or not (listed.get("sequences") or "n_steps" in given):
        return None
    texts = {name: ast.unparse(value) for name, value in given.items()}
    return Looping(found[0].lineno, texts, listed, ast.unparse(target), len(outputs))


def _parts(tree: ast.Module, value: ast.expr) -> tuple[str, ...] | None:
    """The elements of a list, or the one that is no list; None if that is not clear, for taps, and for None (an output without state)."""
    elements = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
    lists = [n for n in ast.walk(tree) if isinstance(n, ast.Assign) and isinstance(n.value, (ast.List, ast.Tuple, ast.ListComp))]
    named = {ast.unparse(t) for n in lists for t in n.targets}
    whole = not isinstance(value, (ast.List, ast.Tuple)) and (ast.unparse(value) in named or isinstance(value, (ast.ListComp, ast.BinOp)))
    texts = tuple(map(ast.unparse, elements))
    return None if whole or any("taps" in text or text == "None" or text.startswith("*") for text in texts) else texts
