"""Writes what the steps of a loop compute as one expression of all steps, in the names of the script."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..ir import Site
from .cells import line_of
from .compiling import covers
from .expressions import argument, dot_of, filled, is_call_of
from .source_changes import parsed

ELEMENTWISE = (
    *("tanh", "exp", "log", "log1p", "expm1", "sqrt", "sqr", "square", "abs_", "abs", "sin", "cos", "sigmoid", "hard_sigmoid", "relu"),
    *("softplus", "maximum", "minimum", "switch", "where", "neg", "sgn", "sign", "clip", "erf", "gammaln", "gt", "lt", "ge", "le", "eq"),
    *("neq", "cast", "pow", "add", "sub", "mul", "true_div", "ceil", "floor", "log10", "log2", "sinh", "cosh"),
)
"""Functions of the framework that compute each entry by itself."""
REDUCTIONS = ("sum", "mean", "max", "min", "prod", "var", "std")
MATRIX = 2
"""Dimensions of weights."""


@dataclass(frozen=True)
class _Value:
    """An expression of all steps."""

    node: ast.expr
    ndim: int | None
    """Number of dimensions in one step; None if unknown."""
    stepped: bool
    """Whether it has the axis of the steps in front."""


def lines_at_once(text: str, site: Site | None, ranks: Sequence[int], others: Mapping[str, int]) -> tuple[str, ...]:
    """Returns the line of a script that calls `map` or `scan` at a place, as one expression of the whole sequences; empty if the text does
    not show what a step computes, or if that has no plain form.

    `ranks`: number of dimensions of one entry of each sequence. `others`: number of dimensions of other arrays, by name.

    >>> lines_at_once("h, _ = theano.map(lambda r: T.tanh(T.dot(r, W)), [x])", Site("m.py", 1), [1], {"W": 2})
    ('h = T.tanh(T.dot(x, W))',)
    """
    tree, line = parsed(text), line_of(text, site) if site is not None else None
    if tree is None or line is None:
        return ()
    for statement in ast.walk(tree):
        if isinstance(statement, ast.Assign) and covers(statement, line):
            for call in ast.walk(statement.value):
                looping = isinstance(call, ast.Call) and is_call_of(call, "map", "scan")
                whole = _whole(tree, call, ranks, others) if looping and isinstance(call, ast.Call) else None
                if whole is not None:
                    return (_statement(statement, call, whole),)
    return ()


def _statement(statement: ast.Assign, call: ast.AST, whole: ast.expr) -> str:
    target = statement.targets[0]
    first = target.elts[0] if isinstance(target, ast.Tuple) and statement.value is call else target
    first = first.elts[0] if isinstance(first, (ast.List, ast.Tuple)) and len(first.elts) == 1 else first
    return f"{ast.unparse(first)} = {ast.unparse(whole)}"


def _whole(tree: ast.Module, call: ast.Call, ranks: Sequence[int], others: Mapping[str, int]) -> ast.expr | None:
    """What a call computes, of all of its sequences at once."""
    given = {**dict(zip(("fn", "sequences", "third", "non_sequences"), call.args)), **{k.arg or "**": k.value for k in call.keywords}}
    if is_call_of(call, "map"):
        given = {("non_sequences" if name == "third" else name): value for name, value in given.items()}
    outputs = given.pop("third", None) or given.pop("outputs_info", None)
    if outputs is not None and ast.unparse(outputs) not in ("None", "[None]"):
        return None
    if not {"fn", "sequences"} <= set(given) or not set(given) <= {"fn", "sequences", "non_sequences", "n_steps", "name"}:
        return None
    arguments, body = _step(tree, given["fn"])
    sequences, rest = _elements(given["sequences"]), _elements(given.get("non_sequences"))
    if body is None or len(sequences) != len(ranks) or len(arguments) != len(sequences) + len(rest):
        return None
    values = {name: _Value(node, rank, True) for name, node, rank in zip(arguments, sequences, ranks)}
    values.update({
        name: _Value(node, others.get(ast.unparse(node)), False) for name, node in zip(arguments[len(sequences) :], rest)
    })  # fmt: skip
    known = {name: _Value(ast.Name(name, ast.Load()), rank, False) for name, rank in others.items()}
    value = _value(body, {**known, **values})
    return value.node if value is not None and value.stepped else None


def _elements(node: ast.expr | None) -> list[ast.expr]:
    return [] if node is None else node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]


def _step(tree: ast.Module, node: ast.expr) -> tuple[list[str], ast.expr | None]:
    """The arguments of a step, and the one expression that it returns; None if it is not one expression."""
    if isinstance(node, ast.Lambda):
        return [a.arg for a in node.args.args], node.body
    made = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and isinstance(node, ast.Name) and n.name == node.id]
    if len(made) != 1 or len(made[0].body) != 1 or not isinstance(made[0].body[0], ast.Return):
        return [], None
    return [a.arg for a in made[0].args.args], made[0].body[0].value


def _value(node: ast.expr, names: Mapping[str, _Value]) -> _Value | None:
    """An expression of all steps; None if it has no plain form."""
    if isinstance(node, ast.Constant):
        return _Value(node, 0, False)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return names.get(ast.unparse(node))
    factors = dot_of(node)
    if factors is not None:
        left, right = (_value(f, names) for f in factors)
        if left is None or right is None or not left.stepped or right.stepped or right.ndim is None or not left.ndim:
            return None
        made = filled(ast.unparse(node).replace(ast.unparse(factors[0]), "left_", 1), left_=left.node)
        return _Value(made, left.ndim - 1 + right.ndim - 1, True) if 0 < right.ndim <= MATRIX else None
    if isinstance(node, ast.UnaryOp):
        own = _value(node.operand, names)
        return None if own is None else _Value(ast.UnaryOp(node.op, own.node), own.ndim, own.stepped)
    if isinstance(node, ast.BinOp):
        pair = [_value(side, names) for side in (node.left, node.right)]
        return _together(pair, lambda parts: ast.BinOp(parts[0], node.op, parts[1]))
    if (
        isinstance(node, ast.Call)
        and is_call_of(node, *ELEMENTWISE)
        and not node.keywords
        and isinstance(node.func, (ast.Attribute, ast.Name))
    ):
        func = node.func
        return _together([_value(a, names) for a in node.args], lambda parts: ast.Call(func, list(parts), []))
    return _reduced(node, names)


def _together(values: Sequence[_Value | None], made: object) -> _Value | None:
    """An elementwise result. An array that is the same in each step must not have more dimensions than the others."""
    known = [v for v in values if v is not None]
    if len(known) < len(values) or not known or not callable(made):
        return None
    ranks = [v.ndim for v in known if v.ndim is not None]
    stepped = [v.ndim for v in known if v.stepped]
    if len(ranks) < len(known) or (stepped and any(r != max(ranks) for r in stepped)):
        return None
    return _Value(made([v.node for v in known]), max(ranks), bool(stepped))


def _reduced(node: ast.expr, names: Mapping[str, _Value]) -> _Value | None:
    """A sum, or another reduction, over the same axes of one step."""
    found = argument(node, *REDUCTIONS)
    own = _value(found[0], names) if found is not None else None
    if found is None or own is None or own.ndim is None or not own.stepped or not isinstance(node, ast.Call) or len(found[1]) > 1:
        return None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    axis = ast.unparse(found[1][0]) if found[1] else None
    if not name or (axis is not None and not axis.lstrip("-").isdigit()):
        return None
    number = None if axis is None else int(axis)
    every = tuple(range(1, own.ndim + 1))
    axes = number + (number >= 0) if number is not None else every if every[1:] else 1
    left = 0 if number is None else own.ndim - 1
    return _Value(filled(f"value_.{name}(axis={axes})", value_=own.node), left, True)
