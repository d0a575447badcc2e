"""Finds the framework names in a syntax tree: follows imports and their aliases to full dotted names."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Union

from . import names

ROOTS = ("theano", "aesara", "pytensor")
"""Packages whose names are collected."""
_Function = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]
_Place = Union[ast.expr, ast.alias]


@dataclass(frozen=True)
class NameUse:
    """One use of a framework's name."""

    name: str
    """Full dotted name, such as `theano.tensor.dot`."""
    node: _Place
    """The expression or import alias that uses it."""


def _is_framework(module: str | None) -> bool:
    return (module or "").partition(".")[0] in ROOTS


class NameCollector(ast.NodeVisitor):
    """Visitor that collects framework names in `found`; a name that a function assigns itself hides the module's import."""

    def __init__(self) -> None:
        self.found: list[NameUse] = []
        self.scopes: list[dict[str, str | None]] = [{}]
        self.stars: list[str] = []

    def resolve(self, name: str) -> str | None:
        """Full dotted name that the local name stands for; None where it is no framework's."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        starred = (f"{module}.{name}" for module in self.stars)
        return next((full for full in starred if _listed(full)), None)

    def visit_Import(self, node: ast.Import) -> None:
        """Records `import theano.tensor as T`, which binds T, or `import theano.tensor`, which binds theano."""
        for alias in node.names:
            if _is_framework(alias.name):
                root = alias.name.partition(".")[0]
                self.scopes[-1][alias.asname or root] = alias.name if alias.asname else root
                self.found.append(NameUse(alias.name, _place(alias, node)))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Records `from theano import tensor as T`, which binds T."""
        if node.level or not _is_framework(node.module):
            return
        for alias in node.names:
            full = f"{node.module}.{alias.name}"
            if alias.name == "*":
                self.stars.append(str(node.module))
                self.found.append(NameUse(str(node.module), _place(alias, node)))
            else:
                self.scopes[-1][alias.asname or alias.name] = full
                self.found.append(NameUse(full, _place(alias, node)))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Records an attribute chain such as `T.nnet.softmax` as one use."""
        parts: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        base = self.resolve(inner.id) if isinstance(inner, ast.Name) else None
        if base is None:
            self.visit(inner)
        else:
            self.found.append(NameUse(".".join([base, *reversed(parts)]), node))

    def visit_Name(self, node: ast.Name) -> None:
        """Records a name that was imported from a framework; assigning to it hides the import."""
        full = self.resolve(node.id)
        if isinstance(node.ctx, ast.Load):
            if full is not None:
                self.found.append(NameUse(full, node))
        elif full is not None:
            self.scopes[-1][node.id] = None

    def _enter(self, node: _Function) -> None:
        bound = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
        bound |= _stored(node.body if isinstance(node.body, list) else [node.body])
        self.scopes.append(dict.fromkeys(bound))
        for child in ast.iter_child_nodes(node):
            self.visit(child)
        self.scopes.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _enter


def _stored(body: Iterable[ast.AST]) -> set[str]:
    """Names that the statements assign."""
    walked = (inner for statement in body for inner in ast.walk(statement))
    return {n.id for n in walked if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _listed(full: str) -> bool:
    """Whether the API table has a row for the full name `full`, which may have come through `import *`."""
    origin, _, name = full.partition(".")
    return any(names.lookup(name, target, None, origin) for target in names.TARGETS)


def _place(alias: ast.alias, statement: ast.stmt) -> _Place:
    """`alias` with a position; CPython 3.9 gives it none, so it gets the position of its statement."""
    if not hasattr(alias, "lineno"):
        for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            setattr(alias, name, getattr(statement, name))
    return alias
