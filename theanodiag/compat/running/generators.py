"""Generators of Python 2, and of Python 3 until 3.6: a StopIteration that leaves one ends it; since CPython 3.7 it is a RuntimeError (PEP
479)."""

import ast
from typing import Any, Iterator, List, Tuple

from ..notes import note

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)


def within(scope: ast.AST, inner: Tuple[type, ...] = _SCOPES) -> Iterator[ast.AST]:
    """Yields the nodes of a scope, without the nodes of the scopes in it that are of the classes `inner`: functions, classes and
    generators.
    """
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, inner):
            waiting.extend(ast.iter_child_nodes(node))


class Ends(ast.NodeTransformer):
    """Puts the body of each generator into `try: ... except StopIteration: return`; `prefix` begins the names of `ended` and `report_end`.

    With `path`, the source is Python 3, and each generator that ends so is reported once: it may be an error that was not meant.
    """

    def __init__(self, prefix: str, path: str = "") -> None:
        self.prefix, self.path = prefix, path

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Visits a function; one that `contextmanager` decorates must let the exceptions of its `with` block through."""
        self.generic_visit(node)
        if not any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in within(node)):
            return node
        if any("contextmanager" in ast.dump(decorator) for decorator in node.decorator_list):
            return node
        first = node.body[0]
        text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        head, body = node.body[:text], node.body[text:]
        telling = [ast.Expr(self._call("report_end", node.lineno, ast.Constant(node.name)))] if self.path else []
        handler = ast.ExceptHandler(ast.Name("StopIteration", ast.Load()), None, [*telling, ast.Return(None)])
        whole = ast.Try(body, [handler], [], [])
        node.body = [*head, ast.fix_missing_locations(ast.copy_location(whole, body[-1]))] if body else node.body
        return node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        """Visits a generator expression that takes the next element of an iterator."""
        self.generic_visit(node)
        if not any(_takes_next(part) for part in within(node)):
            return node
        call = self._call("ended", node.lineno, node)
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def _call(self, function: str, line: int, argument: ast.expr) -> ast.Call:
        return ast.Call(ast.Name(self.prefix + function, ast.Load()), [argument, ast.Constant(self.path), ast.Constant(line)], [])


def _takes_next(node: ast.AST) -> bool:
    """Whether a node is `next(x)`."""
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return False
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    return name.rpartition("_python2_")[2] in ("next", "next_method")


def report_end(name: str, path: str, line: int) -> None:
    """Reports once that a StopIteration ended the generator `name` of a Python 3 source."""
    note("{}:{}: a StopIteration ended the generator {}, as until CPython 3.6; later it is an error".format(path, line, name))


def may_end(data: bytes) -> bool:
    """Returns whether a source may have a generator that a StopIteration leaves, and does not choose the rule of CPython 3.7
    (`generator_stop`).
    """
    return b"generator_stop" not in data and (b"yield" in data or b"next(" in data)


def ended(generator: Any, path: str = "", line: int = 0) -> Iterator[Any]:
    """Yields the elements of a generator expression up to a StopIteration in it, which is reported if there is a `path`."""
    try:
        for value in generator:
            yield value
    except RuntimeError as error:
        if not isinstance(error.__cause__, StopIteration):
            raise
        if path:
            report_end("expression", path, line)


def raises(tree: ast.AST) -> List[ast.Raise]:
    """Returns the statements `raise StopIteration` that end a generator."""
    return [part for _, parts in _open(tree) for part in parts if isinstance(part, ast.Raise) and _is_stop(part.exc)]


def open_generators(tree: ast.AST) -> List[str]:
    """Returns the names of the generators with `next(x)` outside of `try`, which may end the generator in Python 2."""
    return [function.name for function, parts in _open(tree) if any(_takes_next(part) for part in parts)]


def _open(tree: ast.AST) -> Iterator[Tuple[ast.FunctionDef, List[ast.AST]]]:
    """The generators, each with its nodes outside of `try`."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        inside = list(within(function))
        if any(isinstance(part, ast.Yield) for part in inside):
            tried = {id(part) for node in inside if isinstance(node, ast.Try) for whole in node.body for part in ast.walk(whole)}
            yield function, [part for part in inside if id(part) not in tried]


def _is_stop(value: Any) -> bool:
    """Whether an expression is StopIteration or `StopIteration()`."""
    if isinstance(value, ast.Call) and not value.args:
        value = value.func
    return isinstance(value, ast.Name) and value.id == "StopIteration"
