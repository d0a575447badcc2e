"""Writes the statement of a script that compiles a function with other inputs, updates or values in it, in the names of the script."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..ir import Site
from .source_changes import parsed

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
        """The expressions of the inputs, in order; empty if they are no list in this statement."""
        found = _argument(_call(self.statement), "inputs", 0)
        return [ast.unparse(_variable(e)) for e in found.elts] if isinstance(found, (ast.List, ast.Tuple)) else []

    def changed(
        self,
        *,
        inputs: Sequence[str] | None = None,
        givens: Mapping[str, str] | None = None,
        updates: Callable[[str], str] | None = None,
    ) -> str:
        """The statement with the inputs of which `inputs` has the expressions, and new ones for its other entries; with `givens` in
        addition to its own; with `updates` of the expression of its own.
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


def find_compiling(text: str, site: Site | None) -> Compiling | None:
    r"""The statement at a line of a text that compiles one function, and nothing else; None if the text does not show it.

    >>> found = find_compiling("f = function([x, i], y, updates=ups)", Site("m.py", 1))
    >>> found.changed(inputs=["i"], givens={"x": "data[i]"}, updates="more({})".format)
    'f = function([i], y, updates=more(ups), givens={x: data[i]})  # line 1'
    """
    tree = parsed(text) if site is not None else None
    if site is None or tree is None or not is_line(text, site):
        return None
    around = [n for n in ast.walk(tree) if isinstance(n, (*STATEMENTS, ast.FunctionDef)) and covers(n, site.line)]
    methods = [n for n in around if isinstance(n, ast.FunctionDef) and any(a.arg == "self" for a in n.args.args)]
    found = [n for n in around if isinstance(n, STATEMENTS) and len(_calls(n)) == 1]
    return Compiling(found[-1], bool(methods)) if found else None


def is_line(text: str, site: Site) -> bool:
    """Whether the line of a place is one of this text, and not of another module."""
    rows = text.splitlines()
    return site.line <= len(rows) and (site.code is None or rows[site.line - 1].strip() == site.code.strip())


def covers(node: ast.stmt, line: int) -> bool:
    """Whether a line is one of a statement."""
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
