"""Writes the statements of a script that call a function with other arguments in them, or after freeing a shared variable that they make
larger, in the names of the script."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..ir import Site
from .cells import line_of
from .compiling import STATEMENTS, covers, find_compiling
from .expressions import is_call_of
from .source_changes import calls_of, parsed

Arguments = Callable[[Sequence[ast.expr]], "list[ast.expr] | None"]
"""Other arguments of a call for its own, which are given by position; None if there are none for these."""


def changed_calls(text: str, name: str, sites: Sequence[Site], arguments: Arguments) -> list[str] | None:
    r"""Returns the statements in `text` that call the function `name` at these places, with changed arguments; None unless all of these
    calls can be rewritten.

    >>> changed_calls("for k in z:\n    f(x, y[k])", "f", [Site("m.py", 2)], lambda a: a[1:])
    ['f(y[k])  # line 2']
    """
    tree = parsed(text)
    lines = [line for site in sites if (line := line_of(text, site)) is not None]
    if tree is None or len(lines) < len(sites):
        return None
    calls = calls_of(text, name)
    seen = {ast.unparse(c.func) for c in calls if any(covers(c, line) for line in lines)}
    wanted = [c for c in calls if ast.unparse(c.func) in seen]
    found = list(_statements(tree, wanted))
    if not wanted or sum(len(own) for _, own in found) < len(wanted) or not all(_is_alone(text, s) for s, _ in found):
        return None
    rows = []
    for statement, own in found:
        places = {(c.lineno, c.col_offset, ast.unparse(c.func)) for c in own}
        new = copy.deepcopy(statement)
        for call in [c for c in ast.walk(new) if isinstance(c, ast.Call) and (c.lineno, c.col_offset, ast.unparse(c.func)) in places]:
            other = None if call.keywords or any(isinstance(a, ast.Starred) for a in call.args) else arguments(call.args)
            if other is None:
                return None
            call.args = other
        rows.append(f"{ast.unparse(ast.fix_missing_locations(new))}  # line {statement.lineno}")
    return rows


def changed_arguments(text: str, name: str, arguments: Sequence[str]) -> str | None:
    r"""Returns the one statement that calls a function of the framework, with other arguments; None if there is none, or several.

    >>> changed_arguments("loss = T.mean(crossentropy(p, y))", "crossentropy", ["q", "z"])
    'loss = T.mean(crossentropy(q, z))  # line 1'
    """
    sites = [Site("", c.lineno) for c in calls_of(text, name)]
    other = [ast.parse(a, mode="eval").body for a in arguments]
    if len(sites) != 1:
        return None
    rows = changed_calls(text, name, sites, lambda own: other if len(own) == len(other) else None)
    return rows[0] if rows else None


def changed_declaration(text: str, name: str, kinds: Mapping[str, str]) -> str | None:
    r"""Returns the one statement that declares a Variable by a constructor among the keys of `kinds`, with the other constructor; None if
    there is none.

    >>> changed_declaration("x, y = T.matrix('x'), T.matrix('y')", "y", {"matrix": "ivector"})
    "x, y = (T.matrix('x'), T.ivector('y'))  # line 1"
    """
    tree = parsed(text)
    made = [n for n in ast.walk(tree) if isinstance(n, ast.Assign) and name in _targets(n)] if tree is not None else []
    if len(made) != 1 or not _is_alone(text, made[0]):
        return None
    new = copy.deepcopy(made[0])
    value = new.value.elts[_targets(new).index(name)] if isinstance(new.value, ast.Tuple) else new.value
    func = value.func if isinstance(value, ast.Call) and len(_targets(new)) == len(getattr(new.value, "elts", [0])) else None
    if not isinstance(func, ast.Attribute) or func.attr not in kinds:
        return None
    func.attr = kinds[func.attr]
    return f"{ast.unparse(new)}  # line {new.lineno}"


def _targets(node: ast.Assign) -> list[str]:
    """What an assignment assigns, in order."""
    target = node.targets[0]
    return [ast.unparse(t) for t in (target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target])]


def uses_of(text: str, name: str) -> int:
    """Returns how often a text reads the name or attribute `name`."""
    tree = parsed(text)
    read = (
        (n for n in ast.walk(tree) if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Load)) if tree is not None else ()
    )
    return sum(ast.unparse(n) == name for n in read)


def _statements(tree: ast.Module, calls: Sequence[ast.Call]) -> Iterator[tuple[ast.stmt, list[ast.Call]]]:
    """The simple statements that have some of these calls, with them, in the order of their lines."""
    left = {id(c) for c in calls}
    for statement in sorted((n for n in ast.walk(tree) if isinstance(n, (*STATEMENTS, ast.AugAssign))), key=lambda n: n.lineno):
        own = [c for c in ast.walk(statement) if isinstance(c, ast.Call) and id(c) in left]
        if own:
            yield statement, own


def _is_alone(text: str, statement: ast.stmt) -> bool:
    """Whether no other statement is on the lines of a statement."""
    rows = text.splitlines()
    before = rows[statement.lineno - 1][: statement.col_offset]
    after = rows[(statement.end_lineno or statement.lineno) - 1].encode()[statement.end_col_offset or 0 :].decode()
    return not before.strip() and not after.partition("#")[0].strip()


def bounds_of(text: str, rows: ast.expr) -> list[ast.expr] | None:
    """Returns the first row and the row after the last of a subscript `[a:b]`, or of `[s]` with a slice `s`; None for another subscript."""
    if isinstance(rows, ast.Slice) and rows.lower is not None and rows.upper is not None and rows.step is None:
        return [rows.lower, rows.upper]
    if isinstance(rows, ast.Name) and _is_slice(text, rows.id):
        return [ast.Attribute(rows, end, ast.Load()) for end in ("start", "stop")]
    return None


def _is_slice(text: str, name: str) -> bool:
    """Whether a text assigns a slice, and nothing else, to a name."""
    tree = parsed(text)
    nodes = [] if tree is None else list(ast.walk(tree))
    made = [n.value for n in nodes if isinstance(n, ast.Assign) and any(ast.unparse(t) == name for t in n.targets)]
    return bool(made) and all(isinstance(v, ast.Call) and ast.unparse(v.func) == "slice" and len(v.args) == 2 for v in made)


@dataclass(frozen=True)
class Growing:
    """A statement that makes a shared variable larger."""

    site: Site | None
    """Its line; None if it is not known."""
    function: str | None
    """The function that is called there, of which an update makes it larger; None for `set_value`."""
    compiled: Site | None
    """The line that compiles the function."""
    from_old: bool
    """Whether the new value is made of the old one."""


def written_growth(text: str, growing: Sequence[Growing], name: str, freeing: str) -> list[str] | None:
    """Returns the statements to put in place of those; None if one of them is not seen in the text.

    `name` is what the text calls the variable where it is made, `freeing` what follows its name in the statement that frees the old value.
    """
    lines: list[str] = []
    for one in growing:
        own = None if one.site is None else list(_written(text, one, one.site, name, freeing))
        if not own:
            return None
        lines += own
    return lines


def _written(text: str, one: Growing, site: Site, name: str, freeing: str) -> Iterator[str]:
    line = line_of(text, site)
    if line is None:
        return
    if one.function is None:
        setters = [c for c in calls_of(text, "set_value") if c.lineno == line and len(c.args) == 1]
        if len(setters) == 1 and isinstance(setters[0].func, ast.Attribute):
            call = copy.deepcopy(setters[0])
            value, call.args = ast.unparse(call.args[0]), [ast.Name("value")]
            yield from (f"value = {value}", f"{ast.unparse(setters[0].func.value)}{freeing}", f"{ast.unparse(call)}  # line {line}")
        return
    calls = [c for c in calls_of(text, one.function) if covers(c, line)]
    owner = calls[0].func.value if len(calls) == 1 and isinstance(calls[0].func, ast.Attribute) else None
    if name.startswith("self.") and owner is not None:
        name_here = f"{ast.unparse(owner)}.{name.partition('.')[2]}"
    elif name.startswith("self.") or len(calls) != 1:
        return
    else:
        name_here = name
    if not one.from_old:
        rows = changed_calls(text, one.function, [site], list)
        yield from (f"{name_here}{freeing}", *rows) if rows else ()
        return
    joined = _joined(text, one.compiled, name)
    call = calls[0]
    if joined is not None and len(call.args) == 1 and not call.keywords and _is_statement(text, call):
        parts = [f"{name_here}.get_value()", ast.unparse(call.args[0])]
        yield f"value = numpy.concatenate([{', '.join(parts if joined[0] else parts[::-1])}], axis={joined[1]})"
        yield from (f"{name_here}{freeing}", f"{name_here}.set_value(value)  # line {call.lineno}")


def _joined(text: str, compiled: Site | None, name: str) -> tuple[bool, str] | None:
    """Whether an update joins the old value with the only input behind it (else before it), and along which axis; None for another."""
    compiling = find_compiling(text, compiled)
    nodes = list(ast.walk(compiling.statement)) if compiling is not None and len(compiling.inputs) == 1 else []
    pairs = [n.elts for n in nodes if isinstance(n, ast.Tuple) and len(n.elts) == 2 and ast.unparse(n.elts[0]) == name]
    value = pairs[0][1] if len(pairs) == 1 else None
    if compiling is None or not isinstance(value, ast.Call) or not is_call_of(value, "concatenate") or not value.args:
        return None
    parts = [ast.unparse(e) for e in value.args[0].elts] if isinstance(value.args[0], (ast.List, ast.Tuple)) else []
    axis = next((k.value for k in value.keywords if k.arg == "axis"), value.args[1] if len(value.args) > 1 else ast.Constant(0))
    return (parts[0] == name, ast.unparse(axis)) if sorted(parts) == sorted((name, *compiling.inputs)) else None


def _is_statement(text: str, call: ast.Call) -> bool:
    """Whether a call is a statement by itself, whose result is not used."""
    tree = parsed(text)
    return tree is not None and any(isinstance(n, ast.Expr) and n.value is call for n in ast.walk(tree))
