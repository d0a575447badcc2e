"""What a script calls its functions, arrays and modules, so that advice can be pasted: `net.fit` of `self.fit`, `np` of numpy."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ..findings import identifier
from ..memory.script import SharedVariable
from .source_changes import calls_of, owner, parsed

MOST_OWNERS = 4
"""Objects that are followed from an attribute to the name of the outermost one."""


@lru_cache(maxsize=4096)
def outside(text: str, expression: str, depth: int = 0) -> str:
    r"""Returns an attribute of an object as the script names it outside of the object's class; the expression itself if that is not clear.

    >>> outside("class Net:\n    def __init__(self):\n        self.W = shared(0)\nnet = Net()", "self.W")
    'net.W'
    """
    first, _, rest = expression.partition(".")
    if first != "self" or not rest or depth == MOST_OWNERS:
        return expression
    attribute = re.split(r"[.\[]", rest)[0]
    made = {name for found in _classes(text) if _has(found, attribute) for name in _assigned(text, _with_heirs(text, found))}
    return outside(text, f"{made.pop()}.{rest}", depth + 1) if len(made) == 1 else expression


def deletion(variables: Iterable[SharedVariable], text: str = "") -> str:
    """Returns a statement that deletes shared variables by the names that the script uses for them, each once; `text` is the script's."""
    return f"del {', '.join(dict.fromkeys(owner(outside(text, v.expression or identifier(v.name, f'shared_{v.id}'))) for v in variables))}"


def freeing(variables: Iterable[SharedVariable], text: str) -> str:
    r"""Returns code that frees shared variables, all of them. It has a remark on variables without a name, on variables of an object that
    the text does not name, and on each statement that puts a variable into a list or another object, which then holds it.
    """
    variables = list(variables)
    known = [v for v in variables if v.expression or v.name]
    names = {owner(outside(text, v.expression or identifier(v.name, ""))) for v in known}
    lines = (
        [f"# by hand: delete the shared variables without a name ({len(variables) - len(known)})"] if len(known) < len(variables) else []
    )
    if any(name.startswith("self.") for name in names):
        lines.append("# by hand: in a method of the object, or with the object's name in place of self")
    lines += [f"# without what is deleted here: {statement}" for name in sorted(names) for statement in keepers(text, name)]
    return "\n".join((*lines, *([deletion(known, text)] if known else []), "gc.collect()"))


@lru_cache(maxsize=4096)
def called_as(text: str, name: str) -> str:
    r"""Returns what the script calls a compiled function: `net.fit`, or the name to which it assigns the result of its own function `name`.

    Returns the name itself if the script does not show another, or shows several.

    >>> called_as("def compiled():\n    return theano.function([x], y)\nf = compiled()\nf(1)", "compiled")
    'f'
    """
    own = any(isinstance(n, ast.FunctionDef) and n.name == name for n in _nodes(text))
    shown = set(_assigned(text, {name})) if own else {ast.unparse(c.func) for c in calls_of(text, name)}
    if any(_has(found, name) for found in _classes(text)):
        shown = {f"self.{name}"}
    found = {outside(text, expression) for expression in shown}
    return found.pop() if len(found) == 1 else name


def maker_of(text: str, expression: str) -> str | None:
    """Returns the function of the script that alone contains an expression, and alone assigns the first name in it; None if other code
    does.
    """
    first = re.split(r"[.\[]", expression)[0]
    inside = {f.name for f in _nodes(text) if isinstance(f, ast.FunctionDef) and first in _targets(f)}
    tree = parsed(text)
    top = [n for n in tree.body if not isinstance(n, (ast.FunctionDef, ast.ClassDef))] if tree is not None else []
    return inside.pop() if len(inside) == 1 and not any(first in _targets(n) for n in top) else None


def keepers(text: str, name: str) -> Iterator[str]:
    """Yields the statements that put an object into a list, a dictionary or another object: `kept.append((score, net))`."""
    for node in _nodes(text):
        call = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
        given: list[ast.expr] = []
        if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "add", "insert", "extend"):
            given = call.args
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Subscript, ast.Attribute)):
            given = [node.value]
        if any(_is_whole(part, name) for part in given):
            yield " ".join(ast.unparse(node).split())


def keeper_of_values(text: str, gone: list[str], parameters: list[str], functions: list[str]) -> str | None:
    r"""Finds the one statement of a text that appends the objects `gone` to a list. Returns it with the parameters' values in their place,
    and None for functions.

    None if no statement does so, or several do.

    >>> keeper_of_values("for k in a:\n    kept.append((k, W, f))", ["W", "f"], ["W"], ["f"])
    'kept.append((k, W.get_value(), None))  # line 2'
    """
    found = [n for n in _nodes(text) if isinstance(n, ast.Expr) and any(k == _line_of(n) for name in gone for k in keepers(text, name))]
    call = found[0].value if len(found) == 1 else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "append" or len(call.args) != 1:
        return None
    values = f"[p.get_value() for p in [{', '.join(parameters)}]]"

    def kept(part: ast.expr) -> ast.expr:
        name = ast.unparse(part)
        new = f"{name}.get_value()" if name in parameters else "None" if name in functions else values if name in gone else name
        return ast.parse(new, mode="eval").body

    whole = call.args[0]
    new = ast.Tuple([kept(e) for e in whole.elts], ast.Load()) if isinstance(whole, ast.Tuple) else kept(whole)
    return f"{ast.unparse(call.func)}({ast.unparse(new)})  # line {found[0].lineno}"


def holders(text: str, line: int, gone: list[str], functions: list[str]) -> list[str]:
    r"""Returns the names that a loop assigns up to a line from the objects `gone`, or from one another, and that are read nowhere else:
    while these names exist, the objects stay. Results of the functions do not hold them.

    >>> holders("for k in a:\n    W = shared(k)\n    c = W.sum()\n    f = function([], c)\n    kept.append((W, f))", 5, ["W", "f"], ["f"])
    ['c']
    """
    loops = [n for n in _nodes(text) if isinstance(n, (ast.For, ast.While)) and n.lineno <= line <= (n.end_lineno or n.lineno)]
    if not loops:
        return []
    loop, held, found = loops[-1], set(gone), list[str]()
    read: dict[str, list[int]] = {}
    for node in _nodes(text):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read.setdefault(node.id, []).append(node.lineno)
    own = [n for n in ast.walk(loop) if isinstance(n, ast.Assign) and n.lineno < line and isinstance(n.targets[0], ast.Name)]
    for node in sorted(own, key=lambda n: n.lineno):
        name = ast.unparse(node.targets[0])
        called = {ast.unparse(c.func) for c in ast.walk(node.value) if isinstance(c, ast.Call)}
        parts = {ast.unparse(p) for p in ast.walk(node.value) if isinstance(p, (ast.Name, ast.Attribute))}
        elsewhere = any(not node.lineno <= at < line for at in read.get(name, ()))
        if not elsewhere and name not in held and called.isdisjoint(functions) and not held.isdisjoint(parts):
            held.add(name)
            found.append(name)
    return found


def _line_of(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())


def with_imports(text: str, code: str, library: str) -> str:
    r"""Returns code in which modules and functions have the names under which a script imports them. Imports are added for modules that the
    script does not import.

    >>> with_imports("import numpy as np", "x = numpy.zeros(3)\ngc.collect()", "theano")
    'import gc\nx = np.zeros(3)\ngc.collect()'
    >>> with_imports("import theano.tensor as T", "theano.tensor.dot(x, W)", "theano")
    'T.dot(x, W)'
    """
    if parsed(text) is None or not text.strip():
        return code
    known, modules = _imported(text, library), ("gc", "numpy", library, "theanodiag")
    dotted = re.compile(rf"(?<![\w.\"'/])(?:{'|'.join(modules)})(?:\.[A-Za-z_]\w*)+")

    def beginning(name: str) -> str:
        """Returns the longest beginning of a dotted name that the script imports."""
        parts = name.split(".")
        return next((start for k in range(len(parts), 0, -1) if (start := ".".join(parts[:k])) in known), "")

    def named(match: re.Match[str]) -> str:
        start = beginning(match[0])
        return known.get(start, "") + match[0][len(start) :]

    used = (m[0] for line in code.splitlines() for m in dotted.finditer(_statement(line)))
    missing = {name.partition(".")[0] for name in used if not beginning(name)}
    imports = (f"import {m}" for m in modules if m in missing and not re.search(rf"^\s*import {m}\b", code, re.MULTILINE))
    return "\n".join((*imports, dotted.sub(named, code)))


def _statement(line: str) -> str:
    """A line without its comment, and without what it sets in the environment."""
    return "" if re.match(r"\s*(\w+_FLAGS=|export |set )", line) else line.partition("#")[0]


FRAMEWORKS = ("theano", "aesara", "pytensor")


def _imported(text: str, library: str) -> dict[str, str]:
    """Module, or function of one -> the name by which the script has it, the module's own name before others. Names that the script gives
    to something else too are left out. A script may import one framework in place of another: all are called `library`.
    """
    bound: dict[str, set[str]] = {}
    for node in _nodes(text):
        if isinstance(node, ast.Import):
            for alias in node.names:
                module = alias.name if alias.asname else alias.name.partition(".")[0]
                bound.setdefault(alias.asname or module, set()).add(_of(module, library))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                bound.setdefault(alias.asname or alias.name, set()).add(_of(f"{node.module}.{alias.name}", library))
    for node in _nodes(text):
        name = node.arg if isinstance(node, ast.arg) else node.name if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else ""
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            name = node.id
        bound.get(name, set()).add("")
    found: dict[str, str] = {}
    for name, meant in bound.items():
        (module, *others) = meant
        if not others and found.get(module) != module:
            found[module] = name
    return found


def _of(module: str, library: str) -> str:
    """A dotted name, with `library` in place of any framework."""
    first, dot, rest = module.partition(".")
    return f"{library if first in FRAMEWORKS else first}{dot}{rest}"


def _is_whole(value: ast.expr, name: str) -> bool:
    """Whether a value is an object itself, or a tuple, list or dictionary with it."""
    parts = [value, *getattr(value, "elts", []), *getattr(value, "values", [])]
    return any(isinstance(p, (ast.Name, ast.Attribute)) and ast.unparse(p) == name for p in parts)


@lru_cache(maxsize=4)
def _nodes(text: str) -> list[ast.AST]:
    """All nodes of a source; none if it cannot be parsed."""
    tree = parsed(text)
    return [] if tree is None else list(ast.walk(tree))


@lru_cache(maxsize=4)
def _classes(text: str) -> list[ast.ClassDef]:
    return [n for n in _nodes(text) if isinstance(n, ast.ClassDef)]


def _has(found: ast.ClassDef, attribute: str) -> bool:
    """Whether the methods of a class set an attribute."""
    return f"self.{attribute}" in _targets(found)


def _with_heirs(text: str, found: ast.ClassDef) -> set[str]:
    """The names of a class and of those that inherit from it."""
    names = {found.name}
    for other in _classes(text) * 2:
        if not names.isdisjoint(ast.unparse(b) for b in other.bases):
            names.add(other.name)
    return names


def _assigned(text: str, called: set[str]) -> Iterator[str]:
    """Yields the names and attributes to which a source assigns a call of one of these."""
    for node in _nodes(text):
        value = node.value if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if isinstance(node, ast.Assign) and isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in called:
            yield ast.unparse(node.targets[0])


def _targets(node: ast.AST) -> set[str]:
    """The names and attributes that the statements in a node assign."""
    assigned = (t for n in ast.walk(node) if isinstance(n, ast.Assign) for t in n.targets)
    parts = (p for t in assigned for p in (t, *getattr(t, "elts", ())))
    return {ast.unparse(p) for p in parts if isinstance(p, (ast.Name, ast.Attribute))}
