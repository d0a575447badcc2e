"""Ports one source: parses it, decides on changes, edits its text, and checks the result."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from ..compat.names import canonical
from ..compat.running.notebook import other_language
from ..errors import ExitCode, TheanodiagError, UnreadableError
from . import calls, classes, flags, imports, pymc3_imports, python2, releases, variables
from .calls import call
from .model import NOWHERE, Around, Change, FileReport, Ignore, PortEdit, PortOptions, Safety, applied, read_ignores
from .notebook import Notebook
from .parser import without_collection
from .scopes import Use
from .session import WORDS, Binding, PortSession, Rewriter
from .syntax import NAME, Node, Tree, last_leaf, symbols
from .targets import LEGACY, Counterpart, CounterpartKind, target

# Decides about each use and import of a source: first uses that need more than a new name, then imports, then other uses.

_SHOW = ("print", "repr", "str", "type", "id", "reload")
"""Functions that read no attribute of a module passed to them."""


def rewrite(session: PortSession) -> None:
    """Rewrites the uses that need more than a new name, then every import, then all other uses."""
    for use, counterpart in session.counterparts.items():
        rewriter = next((REWRITERS[key] for key in _keys(counterpart) if key in REWRITERS), None)
        if rewriter is not None:
            rewriter(session, use, counterpart)
    releases.write(session)
    variables.write(session)
    write_optimize(session)
    imports.plan(session)
    imports.write_aliases(session)
    for use, counterpart in session.counterparts.items():
        if use in session.named:
            if not imports.of_its_own(session, use.bound):
                session.rename(use, counterpart, session.express(session.named[use], use, use.bound))
        elif use not in session.done and not _is_handed_on(session, use, counterpart):
            _write(session, use, counterpart)
        if counterpart.new == "__version__" and _is_examined(use):
            reason = f"{session.options.target} has other version numbers: what follows from the number may no longer be right"
            session.note(use.leaves[0], use.leaves[-1], use.name, Safety.BY_HAND, reason, "decide it without the number")
    imports.write(session)


def _is_examined(use: Use) -> bool:
    """Whether a version number is compared, taken apart or handed to a parser of versions, and not only printed."""
    sym = symbols()
    node = use.leaves[0].parent if len(use.leaves) > 1 else use.leaves[0]
    if use.name.rpartition(".")[2] != "__version__":
        return True  # a method of the text
    while node.parent is not None and node.parent.type in (sym.arglist, sym.argument, sym.power):
        node = node.parent
    outer = node.parent
    if outer is not None and outer.type == sym.trailer and outer.prev_sibling is not None:
        return "version" in str(last_leaf(outer.prev_sibling).value).lower()
    return outer is not None and outer.type == sym.comparison


def _is_handed_on(session: PortSession, use: Use, counterpart: Counterpart) -> bool:
    """Whether a module whose names have moved is passed on as a value. This is reported, because later uses cannot be seen here.

    If the module has kept its name, this is reported and the module is still written.
    """
    whole = session.last_leaf(use, counterpart) == len(use.leaves) - 1 and not use.trailers
    if counterpart.kind is not CounterpartKind.MODULE or counterpart.new is None or not whole or not _is_value(use.leaves):
        return False
    advice = "check that each name that it may ask for exists, with the same name, in " + session.options.target
    session.note(
        use.leaves[0],
        use.leaves[-1],
        use.name,
        Safety.BY_HAND,
        "the module is used as a value here: its names are accessed elsewhere",
        advice,
    )
    return counterpart.new != counterpart.old


def _is_value(leaves: tuple[Node, ...]) -> bool:
    """Whether the value of a chain of names is assigned, returned or passed on, and not only tested or printed."""
    sym = symbols()
    outer = (leaves[0].parent if len(leaves) > 1 else leaves[0]).parent
    while outer.type in (sym.arglist, sym.argument):
        outer = outer.parent
    if outer.type == sym.trailer and outer.prev_sibling is not None:
        return last_leaf(outer.prev_sibling).value not in _SHOW
    return outer.type not in (
        sym.comparison, sym.not_test, sym.if_stmt, sym.while_stmt, sym.assert_stmt, sym.del_stmt, sym.simple_stmt, sym.print_stmt,
    )  # fmt: skip


def _keys(counterpart: Counterpart) -> tuple[str, ...]:
    """The names under which a rewriter may be listed; `from theano import theano` gives a name its root twice."""
    return (
        counterpart.old,
        *([counterpart.row.old] if counterpart.row else []),
        canonical(counterpart.old),
        counterpart.old.removeprefix("theano."),
    )


def _write(session: PortSession, use: Use, counterpart: Counterpart) -> None:
    """Replaces a use by its new name in the same place, or leaves it to be ported by hand."""
    bound = use.bound
    binding = session.bindings.get(bound) if bound is not None else None
    if bound is not None and (binding is None or binding.module is None):
        return  # a name of its own: the import says what it is
    piece = _needed_piece(session, use, counterpart)
    if counterpart.kind is CounterpartKind.GONE or (piece is None and counterpart.new is None):
        session.by_hand(use, counterpart)
        return
    last = session.last_leaf(use, counterpart)
    reason, advice = f"renamed in {session.options.target}", None
    if piece is not None:
        through = binding is not None and binding.compat and piece[0] == binding.module
        new = f"{binding.local}.{piece[1]}" if through and binding else session.piece(piece)
        native = f"; without theanodiag: {counterpart.advice}" if counterpart.row is not None and counterpart.row.help else ""
        reason, advice = f"{session.options.target} has no function that computes the same", f"imported from {LEGACY}{native}"
    else:
        new = _new_name(session, use, counterpart, binding)
    if new != ".".join(leaf.value for leaf in use.leaves[: last + 1]):
        session.rename(use, counterpart, new)
        session.note(use.leaves[0], use.leaves[last], use.name, Safety.SAFE, reason, advice or new)


def _needed_piece(session: PortSession, use: Use, counterpart: Counterpart) -> tuple[str, str] | None:
    """The part of compat that replaces a use: for a name or a whole module that the target lacks; None for others."""
    if counterpart.kind is CounterpartKind.ADAPTED:
        return counterpart.piece
    whole = len(use.leaves) <= session.last_leaf(use, counterpart) + 1
    return counterpart.piece if counterpart.kind is CounterpartKind.MODULE and counterpart.new is None and whole else None


def _new_name(session: PortSession, use: Use, counterpart: Counterpart, binding: Binding | None) -> str:
    """The text that replaces the name of a use; unchanged if its import is rewritten instead."""
    last = session.last_leaf(use, counterpart)
    same = ".".join(leaf.value for leaf in use.leaves[: last + 1])
    if counterpart.kind is CounterpartKind.MODULE and counterpart.new == "" and binding is None:
        return session.options.target
    if counterpart.kind is CounterpartKind.NAME and binding is None and len(use.leaves) == 1 and _starred(session, use, counterpart):
        return same
    if counterpart.kind is CounterpartKind.MODULE and binding is not None and (binding.compat or last == 0):
        return same if binding.compat else binding.local
    return session.express(str(counterpart.new), use, use.bound)


def _starred(session: PortSession, use: Use, counterpart: Counterpart) -> bool:
    """Whether a star import still binds the name after porting."""
    last = use.leaves[0].value
    return any(counterpart.new == (f"{module}.{last}" if module else last) for module in session.once(_starred_modules))


def _starred_modules(session: PortSession) -> frozenset[str]:
    """The modules of the target that replace those of the source's star imports."""
    moved = (session.counterpart(module) for module in {module for module, _ in session.names.stars})
    return frozenset(m.new for m in moved if m is not None and m.new is not None)


def by_place(changes: list[Change]) -> tuple[Change, ...]:
    """Returns the changes in the order of the text, without duplicates."""
    return tuple(sorted(dict.fromkeys(changes), key=lambda c: (c.span.start, c.name)))


_OPTIMIZE = "optimize"
_NO_OPTIMIZE = "an optimiser of pytensor has no optimize"


def write_optimize(session: PortSession) -> None:
    """Renames the method of optimizers that the source creates; other objects are left to be ported by hand, if the source has
    optimizers."""
    if session.options.target != "pytensor" or not any(leaf.value == _OPTIMIZE for leaf in session.tree.leaves):
        return
    makers = [use for use in session.counterparts if _is_optimizer(use)]
    calls = {id(call(use)) for use in makers}
    names = {name for use in makers for name in _bound_names(use)}
    for receiver, method in _methods(session) if makers else ():
        known = id(receiver) in calls or (not receiver.children and receiver.value in names)
        if known:
            session.replace(method, None, "rewrite")
        safety, why = (Safety.SAFE, _NO_OPTIMIZE) if known else (Safety.BY_HAND, f"{_NO_OPTIMIZE}, if this is one")
        session.note(method, None, f".{_OPTIMIZE}", safety, why, "rewrite(fgraph)")


def _is_optimizer(use: Use) -> bool:
    """Whether a use creates an optimizer: it calls a class of that name, or queries `optdb`."""
    last = str(use.leaves[-1].value)
    return call(use) is not None and (last.endswith("Optimizer") or use.name.endswith(".optdb.query"))


def _bound_names(use: Use) -> Iterator[str]:
    """Yields the name to which the optimizer that a use creates is assigned, if any."""
    whole = use.leaves[0].parent
    statement = whole.parent if whole is not None else None
    if whole is None or statement is None or statement.type != symbols().expr_stmt or whole.children[-1] is not call(use):
        return
    target = statement.children[0]
    if len(statement.children) == 3 and statement.children[2] is whole and not target.children and target.type == NAME:
        yield str(target.value)


def _methods(session: PortSession) -> Iterator[tuple[Node, Node]]:
    """Yields (object expression, method name) of each call of `.optimize(...)`."""
    for leaf in session.tree.leaves:
        trailer = leaf.parent
        if leaf.value != _OPTIMIZE or trailer is None or trailer.type != symbols().trailer or trailer.children[0].value != ".":
            continue
        before, behind = trailer.prev_sibling, trailer.next_sibling
        if before is not None and behind is not None and behind.children and behind.children[0].value == "(":
            yield before, leaf


REWRITERS: Mapping[str, Rewriter] = {**calls.REWRITERS, **classes.REWRITERS, **flags.REWRITERS}
"""Name -> function that rewrites its uses, if they need more than a new name."""
_RELEVANT = {
    "pytensor": re.compile(r"theano|aesara|pymc3", re.IGNORECASE),
    "aesara": re.compile(r"theano", re.IGNORECASE),
}
"""Target -> words; a source with none of them needs no changes, apart from names of the target's own older releases."""
_WORD = re.compile(r"\w+")


class _OwnBugError(TheanodiagError):
    """Porting a source failed because of a bug in theanodiag."""

    exit_code = ExitCode.BUG


def bug(path: str, what: str) -> TheanodiagError:
    """Returns the error for a file on which theanodiag itself failed."""
    return _OwnBugError(f"a bug of theanodiag: {what}", path=path, help="report it; the file stays")


def port_text(text: str, path: str, options: PortOptions, around: Around = NOWHERE) -> FileReport:
    """Returns the ported source. Raises UnreadableError if it cannot be parsed."""
    before, translations = text, tuple[Change, ...]()
    if options.python2to3:
        text, translations = python2.to_python3(text, path, options, around)
    edits, changes = _edits_for(text, path, options, around)
    after = applied(text, edits)
    if edits and python2.is_python2(after) and not python2.is_python2(text):
        raise bug(path, "the ported source could not be parsed")
    return FileReport(path, before, after, (*translations, *changes))


def port_notebook(text: str, path: str, options: PortOptions, around: Around = NOWHERE) -> FileReport:
    """Returns the code cells of a notebook, ported as one source; a notebook in another language is skipped. Raises UnreadableError if
    the cells cannot be parsed.
    """
    notebook = Notebook(text, path)
    if (other := other_language(text)) is not None:
        return skipped(path, f"its cells are {other}, not Python")
    if options.python2to3 and python2.is_source_of_python2(notebook.source, path, around):
        moved = port_text(notebook.marked, path, options, around)
        after, changes = notebook.rewritten(moved.after), moved.changes
    else:
        edits, changes = _edits_for(notebook.source, path, options, around)
        after = notebook.edited(edits)
    return FileReport(path, text, after, tuple(replace(c, span=notebook.in_cell(c.span)) for c in changes))


def _edits_for(text: str, path: str, options: PortOptions, around: Around) -> tuple[list[PortEdit], tuple[Change, ...]]:
    """(edits, changes) of a source. Without names of a framework: no edits, and what else keeps the source from running in Python 3."""
    if options.target == "theano":
        return [], python2.left(text, path, options, around)
    if not _RELEVANT[options.target].search(text) and not _of_older_release(text, options.target) and not imports.TEXT.search(text):
        return [], python2.left(text, path, options, around)
    with open_session(text, path, options, around) as session:
        return unless_ignored(session, text)


def rewrite_session(text: str, path: str, options: PortOptions, around: Around = NOWHERE) -> PortSession:
    """Returns all changes to make in the source, and the names that it uses. Raises UnreadableError if it cannot be parsed."""
    try:
        session = PortSession(Tree(text, path), options)
        rewrite(session)
        flags.variables(session)
        pymc3_imports.write(session)
        imports.write_on_top(session)
        calls.write(session)
        imports.note(session, around)
        python2.note(session, around)
        return session
    except RecursionError:
        raise UnreadableError("its expressions are nested too deeply to be read", path=path, help="leave the file out") from None


@contextmanager
def open_session(text: str, path: str, options: PortOptions, around: Around = NOWHERE) -> Iterator[PortSession]:
    """Context manager that yields the session of `rewrite_session`, and frees its memory at the end."""
    with without_collection():
        session = rewrite_session(text, path, options, around)
        try:
            yield session
        finally:
            session.tree.release()


def unless_ignored(session: PortSession, text: str) -> tuple[list[PortEdit], tuple[Change, ...]]:
    """Returns the edits and changes, in order, without those that a comment such as `# theanodiag: ignore[TD101]` silences."""
    edits, changes = session.fitting(), by_place(session.changes)
    ignores = read_ignores(text) if "theanodiag:" in text else ()
    if not ignores:
        return edits, changes
    everywhere = {i.codes: i for i in ignores if i.whole_file}.values()
    of_line: dict[int, list[Ignore]] = {}
    for one in ignores:
        for line in (one.line, one.line + 1):
            of_line.setdefault(line, []).append(one)
    covered = [any(i.covers(c.code, c.span.line) for i in (*everywhere, *of_line.get(c.span.line, ()))) for c in changes]
    spared = sorted((c.span.start, c.span.end) for c, left in zip(changes, covered) if left and c.safety is not Safety.BY_HAND)
    starts, ends = [start for start, _ in spared], list(itertools.accumulate((end for _, end in spared), max))

    def is_spared(edit: PortEdit) -> bool:
        before = bisect.bisect_right(starts, edit.start)
        return before > 0 and edit.end <= ends[before - 1]

    return [e for e in edits if not is_spared(e)], tuple(c for c, left in zip(changes, covered) if not left)


def _of_older_release(text: str, root: str) -> bool:
    """Whether a source may use a name that the target removed."""
    if root not in text:
        return False
    words = set(_WORD.findall(text))
    return not target(root).lost.isdisjoint(words) or (root == "pytensor" and not WORDS.isdisjoint(words))


def failed(path: str, text: str, error: TheanodiagError) -> FileReport:
    """Returns the report of a file that could not be processed."""
    return FileReport(path, text, text, failure=str(error), bug=error.exit_code is ExitCode.BUG)


def skipped(path: str, reason: str) -> FileReport:
    """Returns the report of a file that was skipped."""
    return FileReport(path, "", "", skipped=reason)
