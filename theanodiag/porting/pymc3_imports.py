"""PyMC3 sources: imports are changed to `theanodiag.compat.pymc3`, which provides PyMC3's names on the installed PyMC."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping

from ..compat.libraries import removed_names as removed_library_names
from .model import PortEdit, Safety
from .scopes import Import, Names, Use
from .session import PortSession
from .syntax import Node, listed, symbols
from .targets import COMPAT

LAYER = "theanodiag.compat.pymc3"
_SERVED = "the names and arguments of PyMC3 on PyMC, with PyMC3's densities"
_LIBRARIES = ("IPython", "matplotlib", "numpy", "pandas", "platform", "pylab", "scipy", "seaborn", "sklearn")
"""Packages whose removed names and arguments the layer restores (`compat/libraries`)."""
_RESTORED = "import theanodiag.compat.libraries.restore  # before the imports of NumPy, pandas, matplotlib ..."
_EARLIER = "code before this import uses libraries that have removed names and arguments since PyMC3's time"
_SAME_FILE = "pymc beside pymc3 is PyMC 2, or a later PyMC"
_SAME_FILE_ADVICE = "PyMC 2 shares no names with current PyMC: rewrite this part; code for PyMC 4 or newer stays"


@functools.cache
def removed_names() -> Mapping[str, str]:
    """Returns a mapping: pyMC3 name without counterpart in PyMC -> the reason, and what to write."""
    return _literal("reasons.py", "GONE")


@functools.cache
def _modules() -> Mapping[str, str]:
    return _literal("modules.py", "MODULES")


def _literal(file: str, name: str) -> Mapping[str, str]:
    """The table `name` in a file of the layer, parsed because the layer cannot be imported without PyMC."""
    tree = ast.parse((COMPAT / "pymc3" / file).read_text(encoding="utf-8"))
    table: Mapping[str, str] = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name
    )
    return table


def write(session: PortSession) -> None:
    """Ports the imports of PyMC3, and leaves each use without counterpart in PyMC to be ported by hand."""
    if session.options.target != "pytensor" or "pymc3" not in session.tree.text:
        return
    names = Names(session.tree, ("pymc3", "pymc"), lambda _: removed_names())
    by_statement: dict[int, tuple[Node, list[Import]]] = {}
    moved = [entry for entry in names.imports if _is_old(entry.imported)]
    for entry in moved:
        by_statement.setdefault(id(entry.statement), (entry.statement, []))[1].append(entry)
    for statement, found_here in by_statement.values():
        if statement.type == symbols().import_from:
            _from(session, statement, found_here)
        else:
            _import(session, statement, found_here)
    for module, statement in names.stars:
        if _is_old(module):
            _module(session, statement, module)
    _restore(session, [entry.statement for entry in moved] + [statement for module, statement in names.stars if _is_old(module)])
    for use in names.uses:
        _gone(session, use)
    beside = next((entry for entry in names.imports if not _is_old(entry.imported)), None)
    if beside is not None and (moved or names.stars):
        session.note(beside.alias, None, beside.imported, Safety.BY_HAND, _SAME_FILE, _SAME_FILE_ADVICE)


def _restore(session: PortSession, statements: list[Node]) -> None:
    """Adds the import that restores removed names on top, if code before the first import of PyMC3 uses libraries that have some."""
    if not statements or _RESTORED.partition("  #")[0] in session.tree.text:
        return
    tree = session.tree
    first = min(map(tree.start, statements))
    names = Names(tree, _LIBRARIES, lambda _: ())
    lost = {f"{row.module}.{row.name}" for row in removed_library_names.TABLE}
    imported = [entry.alias for entry in names.imports if entry.imported in lost]
    used = [use.leaves[0] for use in names.uses if use.scope.kind == "module"]
    early = min((node for node in imported + used if tree.start(node) < first), key=tree.start, default=None)
    if early is not None:
        session.on_top.append(_RESTORED)
        session.note(early, None, tree.source(early), Safety.SAFE, _EARLIER, _RESTORED.partition("  #")[0])


def _is_old(name: str) -> bool:
    return name.partition(".")[0] == "pymc3"


def _import(session: PortSession, statement: Node, found_here: list[Import]) -> None:
    """Ports `import pymc3 as pm` or `import pymc3.gp`, also among other imports in one statement."""
    for entry in found_here:
        _told(session, entry.alias, entry.imported, _line(entry))
    found_here = [entry for entry in found_here if _is_served(entry.imported)]
    parts = listed(statement.children[1], symbols().dotted_as_names)
    lines = list(dict.fromkeys(_line(entry) for entry in found_here))
    old = {id(entry.alias) for entry in found_here}
    kept = [part for part in parts if id(part) not in old]
    separator = "; " if session.shares_line(statement) else f"\n{session.tree.indent(statement)}"
    if not lines:
        return
    if not kept:
        session.replace(statement, None, separator.join(lines))
    else:
        for number, part in enumerate(parts):
            if id(part) in old:
                behind = next((p for p in parts[number + 1 :] if id(p) not in old), None)
                before = parts[number - 1] if number else None
                if behind is not None:
                    _cut(session, session.tree.start(part), session.tree.start(parts[number + 1]))
                elif before is not None:
                    _cut(session, session.tree.end(before), session.tree.end(part))
        session.insert(session.tree.end(statement), "".join(separator + line for line in lines))


def _cut(session: PortSession, start: int, end: int) -> None:
    session.edits.append(PortEdit(start, end, ""))


def _line(entry: Import) -> str:
    """The statement that imports from the layer what `import pymc3.a as b` binds."""
    inside = entry.full.partition(".")[2]
    parent, _, last = ".".join(filter(None, (LAYER, inside))).rpartition(".")
    return f"from {parent} import {last}{'' if last == entry.local else f' as {entry.local}'}"


def _from(session: PortSession, statement: Node, found_here: list[Import]) -> None:
    """Ports a statement such as `from pymc3.distributions import Normal`."""
    module = found_here[0].imported.rpartition(".")[0]
    if module == "pymc3" or _is_served(module):
        for entry in found_here:
            last = entry.imported.rpartition(".")[2]
            if last in removed_names():
                session.note(entry.alias, None, entry.imported, Safety.BY_HAND, "PyMC has no counterpart", removed_names()[last])
    _module(session, statement, module)


def _module(session: PortSession, statement: Node, module: str) -> None:
    """Ports the module in `from module import ...`."""
    at = next(n for n, c in enumerate(statement.children) if not c.children and c.value == "import")
    first, last = statement.children[1], statement.children[at - 1]
    new = f"{LAYER}{module[len('pymc3') :]}"
    if _is_served(module):
        session.replace(first, last, new)
    _told(session, first, module, f"from {new} import")


def _told(session: PortSession, node: Node, name: str, line: str) -> None:
    inside = name.partition(".")[2]
    if inside and not _is_served(name):
        advice = removed_names().get(inside.rpartition(".")[2], "write it without this module")
        session.note(node, None, name, Safety.BY_HAND, f"{LAYER} has no such module", advice)
    else:
        session.note(node, None, name, Safety.SAFE, _SERVED, line)


def _is_served(name: str) -> bool:
    """Whether a dotted name is a module of PyMC3 that the layer provides."""
    return name == "pymc3" or name.partition(".")[2] in _modules()


def _gone(session: PortSession, use: Use) -> None:
    """Reports a use of a name that has no counterpart in PyMC."""
    if not _is_old(use.name):
        return
    inside = use.name.split(".")[1:]
    while len(inside) > 1 and inside[0] in _modules() and inside[0] not in removed_names():
        inside = inside[1:]
    if inside and inside[0] in removed_names():
        session.note(use.leaves[0], use.leaves[-1], use.name, Safety.BY_HAND, "PyMC has no counterpart", removed_names()[inside[0]])
