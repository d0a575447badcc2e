"""Ports the import statements of a source."""

from __future__ import annotations

import bisect
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from ..compat.names import ROOTS
from .import_statements import has_alias
from .model import NOWHERE, Around, Safety
from .scopes import Import, is_none
from .session import Binding, PortSession
from .syntax import STRING, Node, Tree, dotted, enclosing_tries, listed, statements, symbols
from .targets import LEGACY, Counterpart, CounterpartKind

# Libraries on top of Theano whose names are not ported: importing one next to ported names would mix two frameworks in one file.

_PYMC3 = "PyMC3 computes with Theano: move its calls to PyMC 5 or newer, which computes with PyTensor"
_KERAS = "Keras up to 2.3 computes with Theano, later ones do not: `theanodiag run` runs the script as it is; or write it for one of today"
_MOVE = "port the sources of {0}, which computes with Theano, first (theanodiag port .../{0}); `theanodiag run` runs the script unchanged"
_OVER_PYMC3 = "{0} computes with PyMC3: move to its release for PyMC 5 first"

ADVICE: Mapping[str, str] = {
    "pymc3": _PYMC3,
    "keras": _KERAS,
    **{
        name: _MOVE.format(name)
        for name in (
            "lasagne", "blocks", "pylearn2", "nolearn", "theanets", "parmesan", "agentnet", "treeano", "deepy", "passage", "breze",
            "sklearn_theano", "theano_lstm", "theanolm", "neupy", "downhill", "opendeep", "seya", "keras_contrib", "mozi", "dagbldr",
            "cle", "platoon", "smartlearner", "lasagnekit", "groundhog", "recurrentshop", "crino", "morb", "nntools",
        )
    },
    **{name: _OVER_PYMC3.format(name) for name in ("exoplanet", "pymc3_ext", "pymc3_models", "gelato", "pymc_learn", "pmlearn")},
}  # fmt: skip
"""Package -> what to port or install first."""
TEXT = re.compile(rf"^[ \t]*(?:from|import)[ \t]+(?:{'|'.join(n for n in ADVICE if n != 'keras')})\b", re.M)
"""Matches an import of such a library in a source without a framework of its own; Keras alone may use another back-end."""


def note(session: PortSession, around: Around = NOWHERE) -> None:
    """Reports the first import of each library that uses Theano itself, to be ported by hand, unless the library's source is in the folder
    of this source or a parent folder.
    """
    noted: set[str] = set()
    for place, name in _imported(session):
        moved = name == "pymc3" and session.options.target == "pytensor"
        if name in ADVICE and name not in noted and name not in around.above and not moved:
            noted.add(name)
            why = f"the import stays, but {name} does not compute with {session.options.target}"
            session.note(place, None, name, Safety.BY_HAND, why, ADVICE[name])


def _imported(session: PortSession) -> Iterator[tuple[Node, str]]:
    """Yields (node that names it, top-level package) for each import."""
    sym = symbols()
    for statement in statements(session.tree.root):
        if statement.type == sym.import_from:
            parts = [statement.children[1]]
        else:
            parts = listed(statement.children[1], sym.dotted_as_names)
        for part in parts:
            whole = part.children[0] if has_alias(part) else part
            root = dotted(whole).partition(".")[0]
            if root and root not in ROOTS:
                yield whole, root


_WORD = re.compile(r"[^\W\d]\w*")
_ROOT = "import"
"""Stands in place of a module in `_placed` if the root package itself is imported."""


def plan(session: PortSession) -> None:
    """Decides for each import what its name refers to after porting."""
    for entry in session.names.imports:
        binding = _binding(session, entry)
        if binding is not None:
            session.bind(entry, binding)
    for alias in session.names.aliases:
        binding = _binding(session, alias)
        if binding is not None:
            session.bindings[alias] = binding  # and nothing else is written through it, which may stand before the assignment


def write_aliases(session: PortSession) -> None:
    """Rewrites the values of `T = theano.tensor`, according to the uses of `T`."""
    for alias in session.names.aliases:
        use, binding = alias.value, session.bindings.get(alias)
        if use is None or binding is None or use not in session.counterparts:
            continue
        session.done.add(use)
        if binding.module is None:
            session.by_hand(use, session.counterparts[use])
        else:
            parent, _, last = binding.module.rpartition(".")
            local = session.add(f"from {parent} import {last} as {{}}", f"legacy_{last}") if binding.compat else ""
            new = local or session.express(binding.module, use, use.bound)
            session.replace(use.leaves[0], use.leaves[-1], new)
            session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, f"renamed in {session.options.target}", new)


def _binding(session: PortSession, entry: Import) -> Binding | None:
    own = session.counterpart(entry.full)
    if own is None:
        root, _, inside = entry.full.partition(".")
        return Binding(inside, entry.local) if root == session.options.target and inside in session.target.modules else None
    if own.kind is not CounterpartKind.MODULE:
        return Binding(None, entry.local)
    if own.new == "":
        renamed = entry.local == entry.full.partition(".")[0] and session.root_name
        return Binding("", session.root_name if renamed else entry.local)
    named = [session.named[use] for use in entry.uses if use in session.named]
    used = [session.counterparts[u] for u in entry.uses if u in session.counterparts and u not in session.named and u not in session.done]
    used = [f for f in used if f.kind is not CounterpartKind.MODULE]
    module = f"{own.piece[0]}.{own.piece[1]}" if own.piece else None
    pieces = [f for f in used if f.kind is CounterpartKind.ADAPTED and f.piece and f.piece[0] == module]
    if module is not None and (own.new is None or (own.new != own.old and pieces and not named and len(pieces) == len(used))):
        return Binding(module, entry.local, compat=True)
    if module is not None and own.new is not None and session.target.hidden(own.new):
        return Binding(module, entry.local, compat=True)
    if own.new is None:
        return Binding(None, entry.local)
    if own.new == own.old:
        return Binding(own.new, entry.local)
    new = [*named, *(f.new for f in used if f.kind is CounterpartKind.NAME and f.new)]
    places = Counter(name.rpartition(".")[0] for name in new)
    best = max(places, key=lambda place: (places[place], place == own.new), default=own.new)
    return Binding(best if best in session.target.modules and best else own.new, entry.local)


def write(session: PortSession) -> None:
    """Writes the changed import statements, and the additional ones."""
    kept = _names_kept(session)
    by_statement: dict[int, tuple[Node, list[Import]]] = {}
    for entry in session.names.imports:
        by_statement.setdefault(id(entry.statement), (entry.statement, []))[1].append(entry)
    roots: set[int] = set()
    for statement, found_here in by_statement.values():
        if all(session.counterpart(entry.imported) is None for entry in found_here):
            continue
        if statement.type == symbols().import_from:
            _write_from(session, statement, found_here)
        else:
            _write_import(session, statement, found_here, roots, kept)
    for module, statement in session.names.stars:
        _write_star(session, module, statement)
    _rename_none(session)
    _write_added(session)


def _names_kept(session: PortSession) -> set[str]:
    """The imported names that the ported source still uses, in unchanged text or in edits."""
    edits = sorted((edit.start, edit.end) for edit in session.edits)
    starts, ends = [start for start, _ in edits], list(itertools.accumulate((end for _, end in edits), max))
    words = {name for edit in session.edits for name in _WORD.findall(edit.replacement)}
    for use in session.names.uses:
        start = session.tree.start(use.leaves[0])
        before = bisect.bisect_right(starts, start)
        if not before or ends[before - 1] <= start:
            words.add(use.leaves[0].value)
    return words | {session.root_name or "theano"} if "theano" in words else words


def _is_needless(session: PortSession, entry: Import, local: str, inside: str, kept: set[str]) -> bool:
    """Whether an import can be left out: nothing uses the name it binds any more, or the module of `import theano.a.b` is imported
    otherwise.
    """
    beside = entry.scope.imports.get(entry.local, ())
    own = entry.imported.partition(".")[2] != inside if entry.imported != entry.full else any(one.uses for one in beside)
    handed_on = session.tree.path.endswith("__init__.py") or entry.local in session.once(_texts)
    return local not in kept and own and not handed_on and not any(enclosing_tries(entry.statement))


def _write_import(session: PortSession, statement: Node, found_here: list[Import], roots: set[int], kept: set[str]) -> None:
    """Rewrites a statement such as `import theano.tensor as T`. `kept`: names that the ported source still uses."""
    target = session.options.target
    whole = [c for c in statement.children[1].children if c.children or c.value != ","] if _several(statement) else [statement.children[1]]
    single = len(whole) == 1
    for entry in found_here:
        binding = session.bindings.get(entry)
        if binding is None or session.counterpart(entry.imported) is None:
            continue
        name = entry.alias.children[0] if entry.alias.type == symbols().dotted_as_name else entry.alias
        plain = name is entry.alias
        if plain:
            module = session.counterpart(entry.imported)
            inside = module.new if module and module.kind is CounterpartKind.MODULE and module.new else ""
            if inside and inside not in session.target.modules:
                inside = ""
            again = id(entry.scope) in roots and not inside
            roots.add(id(entry.scope))
            if again and single:
                session.remove(statement)
                continue
            if single and _is_needless(session, entry, binding.local, inside, kept):
                session.remove(statement)
                session.note(entry.alias, None, entry.imported, Safety.SAFE, "no longer used", "left out")
                continue
            alias = f" as {binding.local}" if binding.local != target else ""
            text = f"{target}.{inside}" if inside and not alias else f"{target}{alias}"
            session.replace(name, None, text)
        elif binding.module is None:
            if single and _left_out(session, entry):
                session.remove(statement)
            else:
                _import_gone(session, entry, session.counterpart(entry.full))
            continue
        else:
            text = binding.module if binding.compat else ".".join(filter(None, (target, binding.module)))
            session.replace(name, None, text)
        session.note(entry.alias, None, entry.imported, Safety.SAFE, f"renamed in {target}", f"import {text}")


def _several(statement: Node) -> bool:
    return bool(statement.children[1].children) and statement.children[1].type == symbols().dotted_as_names


def _import_gone(session: PortSession, entry: Import, own: Counterpart | None) -> None:
    why, advice = (own.why, own.advice) if own else ("", "")
    session.note(entry.alias, None, entry.full, Safety.BY_HAND, why or f"{session.options.target} has nothing in its place", advice)


def _left_out(session: PortSession, entry: Import) -> bool:
    """Whether an import that the target lacks can be left out: nothing uses it, re-exports it or tests whether it exists. Records the
    change.
    """
    tree = session.tree
    handed_on = tree.path.endswith("__init__.py") or entry.local in session.once(_texts)
    if entry.uses or handed_on or any(enclosing_tries(entry.statement)):
        return False
    session.note(entry.alias, None, entry.full, Safety.SAFE, "unused import", "left out")
    return True


def _texts(session: PortSession) -> set[str]:
    """The contents of all string literals in the module, without their quotes."""
    return {leaf.value[1:-1] for leaf in session.tree.leaves if leaf.type == STRING}


def _write_from(session: PortSession, statement: Node, found_here: list[Import]) -> None:
    """Rewrites `from theano.tensor import a, b as c` as one statement for each new module."""
    groups: dict[str, list[str]] = {}
    kept: list[str] = []
    for entry in found_here:
        old = entry.full.rpartition(".")[2]
        placed = _placed(session, entry)
        if placed is None:
            kept.append(_aliased(old, entry.local))
        elif placed[0]:
            local = session.bindings[entry].local if placed[0] == _ROOT else entry.local
            groups.setdefault(placed[0], []).append(_aliased(placed[1], local))
    module = found_here[0].full.rpartition(".")[0]
    if kept:
        groups[module] = [*kept, *groups.get(module, ())]
    first, last = statement.children[1], statement.children[-1]
    written = [_aliased(f.full.rpartition(".")[2], f.local) for f in found_here]
    if not groups:
        session.remove(statement)
    elif len(groups) == 1 and next(iter(groups.values())) == written and _ROOT not in groups:
        at = next(n for n, c in enumerate(statement.children) if not c.children and c.value == "import")
        session.replace(first, statement.children[at - 1], next(iter(groups)))
    else:
        indent = session.tree.indent(statement)
        lines = [f"from {place} import {', '.join(names)}" if place != _ROOT else f"import {names[0]}" for place, names in groups.items()]
        joined = "; ".join(lines) if session.shares_line(statement) else f"\n{indent}".join(lines)
        comments = re.findall(r"#[^\n]*", session.tree.text[session.tree.start(first) : session.tree.end(last)])
        above = "".join(f"{c.rstrip()}\n{indent}" for c in comments) if not session.shares_line(statement) else ""
        session.replace(statement, None, above + joined)


def of_its_own(session: PortSession, entry: Import | None) -> str | None:
    """Returns the new name of an imported name, if it is the same for all uses, so that it can be imported directly. None otherwise."""
    return session.once(_alone).get(entry) if entry is not None else None


def _alone(session: PortSession) -> dict[Import, str]:
    """Import -> new name, for the imports of names whose uses all get the same new name."""
    alone: dict[Import, str] = {}
    for one, binding in session.bindings.items():
        names = {session.named.get(use, "") for use in one.uses} if binding.module is None else set()
        if len(names) == 1:
            alone[one] = names.pop()
    return alone


def _placed(session: PortSession, entry: Import) -> tuple[str, str] | None:
    """(module, name) that the ported source imports; the module is `''` if the import is removed. None if the import stays as it is."""
    target = session.options.target
    own, binding = session.counterpart(entry.full), session.bindings.get(entry)
    if own is None or binding is None:
        return None
    node = entry.alias
    if own.kind is not CounterpartKind.NAME and binding.module is None and own.piece is None and _left_out(session, entry):
        return "", ""
    if own.kind is CounterpartKind.MODULE:
        if binding.module is None:
            _import_gone(session, entry, own)
            return None
        whole = binding.module if binding.compat else ".".join(filter(None, (target, binding.module)))
        parent, _, last = whole.rpartition(".")
        session.note(node, None, entry.full, Safety.SAFE, f"renamed in {target}", whole)
        return parent or _ROOT, last
    uses = [use for use in entry.uses if use not in session.done and use not in session.named]
    renamed = of_its_own(session, entry)
    if renamed:
        session.note(node, None, entry.full, Safety.SAFE, f"renamed in {target}", renamed)
        parent, _, last = renamed.rpartition(".")
        return ".".join(filter(None, (target, parent))), last
    if own.kind is not CounterpartKind.NAME and not uses and entry.uses:
        return "", ""
    if own.kind is CounterpartKind.NAME and own.new is not None:
        parent, _, last = own.new.rpartition(".")
        session.note(node, None, entry.full, Safety.SAFE, f"renamed in {target}", own.new)
        return ".".join(filter(None, (target, parent))), last
    if own.kind is CounterpartKind.ADAPTED and own.piece is not None:
        advice = f"imported from {LEGACY}{f'; without theanodiag: {own.advice}' if own.row is not None and own.row.help else ''}"
        session.note(node, None, entry.full, Safety.SAFE, f"{target} has no function that computes the same", advice)
        return own.piece
    _import_gone(session, entry, own)
    return None


def _aliased(name: str, local: str) -> str:
    return name if name == local else f"{name} as {local}"


def _write_star(session: PortSession, module: str, statement: Node) -> None:
    own = session.counterpart(module)
    if own is None:
        return
    at = next(n for n, c in enumerate(statement.children) if not c.children and c.value == "import")
    first, last = statement.children[1], statement.children[at - 1]
    if own.kind is CounterpartKind.MODULE and own.new is not None:
        text = ".".join(filter(None, (session.options.target, own.new)))
    elif own.kind is CounterpartKind.MODULE and own.piece is not None:
        text = ".".join(own.piece)
    else:
        session.note(first, last, module, Safety.BY_HAND, own.why or "the module was removed", own.advice)
        return
    session.replace(first, last, text)
    session.note(first, last, module, Safety.SAFE, f"renamed in {session.options.target}", text)


def _rename_none(session: PortSession) -> None:
    """Renames `theano = None`, the fallback of an import that may fail, if the import gets another name."""
    renamed = {(f.scope, f.local): b.local for f, b in reversed(session.bindings.items()) if b.local != f.local}
    for (scope, old), new in renamed.items():
        for leaf in scope.others.get(old, ()):
            if not leaf.children and is_none(leaf):
                session.replace(leaf, None, new)


def _write_added(session: PortSession) -> None:
    """Inserts new imports after the first import of a framework at the top level, else before the first statement of code."""
    if not session.added:
        return
    lines = [re.sub(r" (\w+) as \1\Z", r" \1", statement.format(local)) for statement, local in session.added.items()]
    text = session.tree.text
    at = _behind(session)
    newline = "\r\n" if "\r\n" in text else "\n"
    before = newline if at and text[at - 1 : at] != "\n" else ""
    session.insert(at, before + "".join(f"{line}{newline}" for line in lines))


def write_on_top(session: PortSession) -> None:
    """Inserts, after the head of the file, the imports needed by code that runs before the framework is imported."""
    newline = "\r\n" if "\r\n" in session.tree.text else "\n"
    if session.on_top:
        session.insert(head_end(session.tree), "".join(f"{line}{newline}" for line in session.on_top))


def _behind(session: PortSession) -> int:
    """Offset of the line after the first import of a framework at the top level, else after the head of the file."""
    tops = [f.statement for f in session.names.imports if f.scope.kind == "module"] + [s for _, s in session.names.stars]
    tops = [s for s in tops if s.parent is not None and s.parent.parent is session.tree.root]
    if tops:
        return _line_end(session.tree.text, session.tree.end(min(tops, key=session.tree.start)))
    return head_end(session.tree)


def head_end(tree: Tree) -> int:
    """Returns the offset of the line after the docstring and `__future__` imports, or after the comments at the top if there are
    neither.
    """
    sym, text, at = symbols(), tree.text, 0
    while text.startswith("#", at):  # a declared encoding, `#!`
        at = _line_end(text, at)
    for child in tree.root.children:
        inner = child.children[0] if child.children else child
        docstring = child.type == sym.simple_stmt and not inner.children and inner.type == STRING
        future = child.type == sym.simple_stmt and inner.type == sym.import_from and dotted(inner.children[1]) == "__future__"
        if not docstring and not future:
            break
        at = _line_end(text, tree.end(inner))
    return at


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1
