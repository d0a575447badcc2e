"""What is replaced in the syntax tree of a source translated from Python 2: calls, comparisons, loops and divisions by calls of helpers.

The helpers (python2_operators.py) are builtins, whose names begin with PREFIX.
"""

import ast
from typing import Any, Dict, List

from . import numpy1, python2_bytes

_ORDERS = {ast.Lt: "lt", ast.Gt: "gt", ast.LtE: "le", ast.GtE: "ge"}
PREFIX = "_python2_"  # one underscore: Python mangles names with two in the body of a class


_RENAMED = {"iteritems": "items", "iterkeys": "keys", "itervalues": "values", "has_key": "__contains__"}
"""Methods of dictionaries in Python 2 -> the methods that fissix's translation calls."""


class Calls(ast.NodeTransformer):
    """Replaces calls whose meaning depends on the type of `x` at run time by calls of helpers.

    These are `x.sort(...)` and `sorted(x, ...)` with Python 2's arguments, `x.next()` where fissix does not translate it, `x.decode(...)`,
    `x.encode(...)`, and methods of strings. Strings of bytes become those of `python2_bytes`.
    """

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Adds to a class that defines a method of `_RENAMED`, such as `iteritems`, the method that translated callers use: `items`.

        A class with `next` gets `__next__`, even if fissix leaves the name (because of a decorator), and the other way round, because a
        script may read `A.next`. In a class with both methods, `__next__` continues to call `next`: fissix would make `next(self)` of the
        call, and might give both methods one name.
        """
        self.generic_visit(node)
        methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
        nexts = [part for part in methods if part.name in ("next", "__next__")]
        if len(nexts) == 2:
            calling = [part for part in nexts if _call_own_next(part)] or nexts[1:]
            for part in nexts:
                part.name = "__next__" if part in calling else "next"
        defined = {part.name for part in methods}
        for old, new in (*_RENAMED.items(), ("next", "__next__"), ("__next__", "next")):
            if old in defined and new not in defined:
                made = ast.Assign([ast.Name(new, ast.Store())], ast.Name(old, ast.Load()))
                node.body.append(ast.fix_missing_locations(ast.copy_location(made, node.body[-1])))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replaces one call."""
        self.generic_visit(node)
        more = any(k.arg in ("cmp", None) for k in node.keywords)
        starred = any(isinstance(a, ast.Starred) for a in node.args)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "sort" and (node.args or more):
            return self._call("sort_method", node.func.value, node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "next" and not node.args and not node.keywords:
            return self._call("next_method", node.func.value, node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "decode":
            return self._call("decode_method", node.func.value, node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "encode":
            return self._call("encode_method", node.func.value, node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in python2_bytes.MAKERS:
            return ast.copy_location(ast.Call(ast.Name(PREFIX + "made", ast.Load()), [node], []), node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in python2_bytes.NAMES and node.args:
            node.args.insert(0, ast.Constant(node.func.attr))
            return self._call("text_call", node.func.value, node)
        if isinstance(node.func, ast.Name) and node.func.id == "str" and len(node.args) > 1:
            return self._call("decoded", node.func, node)
        if isinstance(node.func, ast.Name) and node.func.id == "sorted" and (len(node.args) > 1 or starred or more):
            return self._call("sort_function", node.func, node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Replaces `b"..."`."""
        if type(node.value) is not bytes:
            return node
        return ast.copy_location(ast.Call(ast.Name(PREFIX + "bytes", ast.Load()), [node], []), node)

    def visit_For(self, node: ast.For) -> ast.AST:
        """Replaces `for x in d.items()`, which fissix makes of `iteritems`, but not of `items`: its body may delete from an OrderedDict."""
        self.generic_visit(node)
        view = node.iter
        if isinstance(view, ast.Call) and isinstance(view.func, ast.Attribute) and view.func.attr in ("items", "keys", "values"):
            if not view.args and not view.keywords:
                call = ast.Call(ast.Name(PREFIX + "walk", ast.Load()), [view.func.value, ast.Constant(view.func.attr)], [])
                node.iter = ast.fix_missing_locations(ast.copy_location(call, view))
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Replaces `a < b`."""
        self.generic_visit(node)
        name = _ORDERS.get(type(node.ops[0]))
        if name is None or len(node.ops) > 1:
            return node
        call = ast.Call(ast.Name(PREFIX + "order", ast.Load()), [ast.Constant(name), node.left, node.comparators[0]], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def _call(self, function: str, first: ast.expr, where: ast.Call) -> ast.Call:
        call = ast.Call(ast.Name(PREFIX + function, ast.Load()), [first, *where.args], where.keywords)
        return ast.fix_missing_locations(ast.copy_location(call, where))


def _call_own_next(function: ast.FunctionDef) -> bool:
    """Makes `self.next()` of `next(self)` in the method `function`. Returns whether there was such a call."""
    owner = function.args.args[0].arg if function.args.args else ""
    found = False
    for call in ast.walk(function):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("next", PREFIX + "next_method"):
            if len(call.args) == 1 and isinstance(call.args[0], ast.Name) and call.args[0].id == owner:
                call.func, call.args, found = ast.copy_location(ast.Attribute(call.args[0], "next", ast.Load()), call), [], True
    return found


class Divisions(ast.NodeTransformer):
    """Replaces `/` and `/=` in a syntax tree by calls of helpers."""

    def _call(self, function: str, arguments: List[ast.expr], where: ast.AST) -> ast.Call:
        call = ast.Call(ast.Name(PREFIX + function, ast.Load()), arguments, [])
        return ast.fix_missing_locations(ast.copy_location(call, where))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Replaces `a / b`."""
        self.generic_visit(node)
        return self._call("divide", [node.left, node.right], node) if isinstance(node.op, ast.Div) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Replaces `a /= b`."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        return numpy1.assigned(node, PREFIX, lambda read: self._call("divide_in_place", [read, node.value], node))


class Lines(ast.NodeVisitor):
    """Restores the original line number of each node in a translated syntax tree."""

    def __init__(self, lines: Dict[int, int]) -> None:
        self.lines = lines

    def generic_visit(self, node: ast.AST) -> None:
        """Sets the lines of a node and of those in it."""
        for name in ("lineno", "end_lineno"):
            if getattr(node, name, None) is not None:
                setattr(node, name, self.lines.get(getattr(node, name), getattr(node, name)))
        super().generic_visit(node)
