"""Writes a statement that uses an array in an expression with a shared variable in its place, in the names of the script."""

from __future__ import annotations

import ast
import copy
import re

from .identity_code import ScriptText


def lines_with_shared(text: str, line: int, library: str) -> tuple[str, ...]:
    """Returns the statement at a line with a shared variable in place of the one array in it, preceded by the line that creates the shared
    variable.

    Empty if the text does not show which name is an array: names of a function's arguments and of calls of the framework, and everything
    computed from these, may be symbolic.
    """
    script = ScriptText(text, library)
    statement = next((s for s in script.scopes if s.lineno <= line <= (s.end_lineno or s.lineno)), None)
    if not isinstance(statement, (ast.Assign, ast.Return, ast.Expr)) or statement.value is None:
        return ()
    named = _operands(statement.value)
    symbolic = {name for name in named if _is_symbolic(script, statement, name)}
    arrays = [name for name in dict.fromkeys(named) if name not in symbolic]
    if len(arrays) != 1:
        return ()
    there = f"{re.sub(r'[^0-9A-Za-z_]+', '_', arrays[0])}_there"

    class Replaced(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            if isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == arrays[0]:
                return ast.Name(there, ast.Load())
            return self.generic_visit(node)

    new = Replaced().visit(copy.deepcopy(statement))
    return f"{there} = {library}.shared({arrays[0]}, borrow=True)", f"{ast.unparse(new)}  # line {statement.lineno}"


def _operands(node: ast.AST) -> list[str]:
    """The names that are operands or arguments in an expression, not those of what is called."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        inner = node.value if isinstance(node, ast.Attribute) and node.attr == "T" else node
        return [ast.unparse(inner)] if isinstance(inner, (ast.Name, ast.Attribute)) else _operands(inner)
    if isinstance(node, ast.Call):
        method = node.func.value if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, (ast.Call, ast.BinOp)) else None
        parts = [*([method] if method is not None else []), *node.args, *(k.value for k in node.keywords)]
        return [name for part in parts for name in _operands(part)]
    if isinstance(node, (ast.Lambda, ast.Constant)):
        return []
    return [name for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr) for name in _operands(part)]


MODULE = re.compile(r"\b(?:theano|aesara|pytensor|T|TT|tt|tensor|at|pt|shared|lasagne)\b")
"""A name in the text of what is symbolic."""
ARRAY = re.compile(r"^(?:np|numpy|pickle|cPickle|scipy|pandas|pd|h5py|load|read|get_?data)\b|\.load|astype")
"""The text of what makes an array, as far as it shows."""


def _is_symbolic(script: ScriptText, statement: ast.stmt, name: str) -> bool:
    """Whether a name may be a Variable: where what it is bound to names the framework or cannot be seen."""
    for scope in script.scopes[statement]:
        bindings = [b for b in script.bound.get(scope, {}).get(name, []) if b.line < statement.lineno]
        if bindings:
            made = [s for b in bindings for s in script.scopes if isinstance(s, ast.Assign) and s.lineno == b.line]
            texts = [ast.unparse(s.value) for s in made]
            return len(texts) < len(bindings) or not all(ARRAY.search(t) and not MODULE.search(t) for t in texts)
    return True
