"""Expressions of a script's source, read and made: products, transposes, calls by method or by module."""

from __future__ import annotations

import ast
import copy


def is_call_of(node: ast.expr | None, *names: str) -> bool:
    """Returns whether a node calls a function with one of these names, in any module."""
    func = node.func if isinstance(node, ast.Call) else None
    return (func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else "") in names


def dot_of(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """Returns the factors of `T.dot(a, b)`, `a.dot(b)` or `a @ b`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return node.left, node.right
    if isinstance(node, ast.Call) and is_call_of(node, "dot") and not node.keywords:
        if len(node.args) == 2:
            return node.args[0], node.args[1]
        if len(node.args) == 1 and isinstance(node.func, ast.Attribute):
            return node.func.value, node.args[0]
    return None


def untransposed(node: ast.expr) -> ast.expr | None:
    """Returns the matrix that an expression transposes; None if it transposes none."""
    if isinstance(node, ast.Attribute) and node.attr == "T":
        return node.value
    plain = isinstance(node, ast.Call) and is_call_of(node, "transpose") and len(node.args) == 1 and not node.keywords
    return node.args[0] if plain and isinstance(node, ast.Call) else None


def transposed(node: ast.expr) -> ast.expr:
    """Returns the transposed matrix, written as `x.T`, or as `x` if the expression is `x.T`."""
    return untransposed(node) or ast.Attribute(node, "T", ast.Load())


def filled(text: str, **parts: ast.expr) -> ast.expr:
    """Returns an expression in which names are replaced by given parts."""

    class Filled(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return copy.deepcopy(parts.get(node.id, node))

    return Filled().visit(ast.parse(text, mode="eval").body)  # type: ignore[no-any-return]


def product_like(like: ast.expr, left: ast.expr, right: ast.expr) -> ast.expr:
    """Returns a product written in the same form as the product `like`."""
    new = copy.deepcopy(like)
    new.is_new = True  # type: ignore[attr-defined]  # not the matrix in question
    if isinstance(new, ast.BinOp):
        new.left, new.right = left, right
    elif isinstance(new, ast.Call) and len(new.args) == 2:
        new.args = [left, right]
    elif isinstance(new, ast.Call) and isinstance(new.func, ast.Attribute):
        new.func.value, new.args = left, [right]
    return new


def argument(node: ast.expr, *names: str) -> tuple[ast.expr, list[ast.expr]] | None:
    """Returns what `f(x, ...)` or `x.f(...)` is applied to, and the other arguments, including `axis` if it is a keyword."""
    if not isinstance(node, ast.Call) or not is_call_of(node, *names) or any(k.arg != "axis" for k in node.keywords):
        return None
    more = [k.value for k in node.keywords]
    module = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, (ast.Name, ast.Attribute))
    plain = isinstance(node.func, ast.Name) or (module and ast.unparse(node.func).split(".")[0] in MODULES)
    if plain:
        return (node.args[0], [*node.args[1:], *more]) if node.args else None
    return (node.func.value, [*node.args, *more]) if isinstance(node.func, ast.Attribute) else None


MODULES = {"T", "TT", "tt", "tensor", "theano", "aesara", "at", "pytensor", "pt", "ptt", "nlinalg", "th"}
"""Names under which scripts import the framework and its parts."""
