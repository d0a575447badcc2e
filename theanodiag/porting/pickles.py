"""Pickles in sources of Python 2, translated: they were also kept in files opened for text, and their texts are bytes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .list_comprehensions import Places, parsed
from .model import CODES, Change, PortEdit, Safety, applied
from .syntax import Tree

_READERS = ("load", "loads", "Unpickler")
_FILES = {"load": 0, "Unpickler": 0, "dump": 1, "Pickler": 0}
"""Function of `pickle` -> position of its file among the arguments."""
_ENCODING = "pickles of Python 2 hold texts and arrays as bytes, which Python 3 decodes as ASCII by default"
_BYTES = "Python 3 keeps pickles only in files opened for bytes"


def translated(text: str, original: Tree) -> tuple[str, tuple[Change, ...]]:
    """Makes a source that fissix translated read and write pickles as it did under Python 2: `encoding="latin1"` where it reads them, and
    files opened for bytes. Returns the new source and the changes.

    A file that is also used for something else is reported, to be ported by hand.
    """
    module = parsed(text) if "ickle" in text else None
    calls = dict(_calls(module)) if module is not None else {}
    if module is None or not calls:
        return text, ()
    places, edits = Places(text), list[PortEdit]()
    safe, by_hand = list[str](), list[str]()
    for call, function in calls.items():
        if function in _READERS and not any(k.arg in (None, "encoding") for k in call.keywords):
            end = places.of(call)[1] - 1
            comma = "" if text[:end].rstrip().endswith(",") else ", "
            edits.append(PortEdit(end, end, f'{comma}encoding="latin1"'))
            safe += [_ENCODING] if _ENCODING not in safe else []
    for opening, exclusive in _openings(module, calls).items():
        mode = _mode_edit(text, places, opening) if exclusive else None
        edits += [mode] if mode is not None else []
        (by_hand if mode is None else safe).append(_BYTES)
    place = next((leaf for leaf in original.leaves if leaf.value in ("cPickle", "pickle")), original.root.children[0])
    span = original.span(place)
    return applied(text, edits), (
        *(Change(span, "pickle", Safety.SAFE, why, _ADVICE[why], CODES[Safety.SAFE]) for why in dict.fromkeys(safe)),
        *(Change(span, "pickle", Safety.BY_HAND, why, _BY_HAND, CODES[Safety.BY_HAND]) for why in dict.fromkeys(by_hand)),
    )


_ADVICE = {_ENCODING: 'encoding="latin1"', _BYTES: "the mode of open with b"}
_BY_HAND = "open the file with b in its mode, if it holds only pickles"


def _calls(module: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """Yields (call, function of pickle) for each call of one of these functions."""
    modules, names = set[str](), dict[str, str]()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name for alias in node.names if alias.name == "pickle"}
        elif isinstance(node, ast.ImportFrom) and node.module == "pickle":
            names.update({alias.asname or alias.name: alias.name for alias in node.names})
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id in modules:
                name = function.attr
            else:
                name = names.get(function.id, "") if isinstance(function, ast.Name) else ""
            if name in _FILES or name in _READERS:
                yield node, name


def _openings(module: ast.Module, calls: dict[ast.Call, str]) -> dict[ast.Call, bool]:
    """Each call of `open` for text whose file is passed to pickle -> whether the file is used for nothing else."""
    found: dict[ast.Call, bool] = {}
    parents = {child: node for node in ast.walk(module) for child in ast.iter_child_nodes(node)}
    for call, function in calls.items():
        position = _FILES.get(function, len(call.args))
        file = call.args[position] if position < len(call.args) else None
        if file is not None and _is_open(file):
            found[file] = True  # type: ignore[index]  # a call, by _is_open
        elif isinstance(file, ast.Name):
            scope: ast.AST = call
            while not isinstance(scope, (ast.FunctionDef, ast.Module)):
                scope = parents[scope]
            uses = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == file.id and isinstance(n.ctx, ast.Load)]
            exclusive = all(_is_of_pickle(parents[use], calls) for use in uses)
            found.update(dict.fromkeys(_bound(scope, file.id), exclusive))
    return {opening: exclusive for opening, exclusive in found.items() if not _is_for_bytes(opening)}


def _is_open(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open"


def _is_of_pickle(parent: ast.AST, calls: dict[ast.Call, str]) -> bool:
    """Whether the node around a use of a file passes it to pickle or closes it."""
    return parent in calls or (isinstance(parent, ast.Attribute) and parent.attr in ("close", "flush"))


def _bound(scope: ast.AST, name: str) -> Iterator[ast.Call]:
    """Yields the calls of `open` whose file gets this name, by `name = open(...)` or `with open(...) as name`."""
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            value: ast.expr | None = node.value
        elif isinstance(node, ast.withitem) and isinstance(node.optional_vars, ast.Name) and node.optional_vars.id == name:
            value = node.context_expr
        else:
            value = None
        if isinstance(value, ast.Call) and _is_open(value):
            yield value


def _mode(opening: ast.Call) -> ast.expr | None:
    """The mode that is passed to `open`; None if there is none."""
    return opening.args[1] if len(opening.args) > 1 else next((k.value for k in opening.keywords if k.arg == "mode"), None)


def _is_for_bytes(opening: ast.Call) -> bool:
    mode = _mode(opening)
    return isinstance(mode, ast.Constant) and "b" in str(mode.value)


def _mode_edit(text: str, places: Places, opening: ast.Call) -> PortEdit | None:
    """The edit that opens a file for bytes; None if its mode is not written as text."""
    mode = _mode(opening)
    if mode is None:
        end = places.of(opening)[1] - 1
        return PortEdit(end, end, ', "rb"') if opening.args and not opening.keywords else None
    if not isinstance(mode, ast.Constant) or not isinstance(mode.value, str):
        return None
    start, end = places.of(mode)
    quote = text[end - 1]
    return PortEdit(start, end, f"{quote}{mode.value.replace('U', '').replace('t', '') or 'r'}b{quote}")
