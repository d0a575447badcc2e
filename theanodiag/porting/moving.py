"""One source from end to end: parse it, decide, edit its text, and look at the result once more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import ExitCode, TheanodiagError
from ..source.ignores import read_ignores
from . import flags, imports, python2
from .deciding import by_place, run
from .deprecated import WORDS
from .edits import applied
from .model import Change, Edit, FileReport, Safety, Wish
from .notebook import Notebook
from .parser import without_collection
from .rewriters import REWRITERS
from .session import Session
from .syntax import Tree
from .targets import target

_RELEVANT = {
    "pytensor": re.compile(r"theano|aesara", re.IGNORECASE),
    "aesara": re.compile(r"theano", re.IGNORECASE),
}
"""Per target what a source must say for there to be anything to do, but for names of the target's own older releases."""
_WORD = re.compile(r"\w+")


class _Broken(TheanodiagError):
    """What was made of a source is none."""

    exit_code = ExitCode.BUG


def port_text(text: str, path: str, wish: Wish) -> FileReport:
    """The source moved as `wish` says; raises UnreadableError where it cannot be parsed."""
    before, translations = text, tuple[Change, ...]()
    if wish.python2to3 and python2.is_python2(text):
        text, translations = python2.translated(text, path, wish)
    elif wish.python2to3 and python2.speaks_python2(text):
        made, told = python2.translated(text, path, wish)
        if not python2.speaks_python2(made):  # else a second run would translate it once more
            text, translations = made, told
    edits, changes = _decided(text, path, wish)
    after = applied(text, edits)
    if edits and python2.is_python2(after) and not python2.is_python2(text):
        raise _Broken("a bug of theanodiag: the moved source could not be parsed", path=path, help="report it; the file stays")
    return FileReport(path, before, after, (*translations, *changes))


def port_notebook(text: str, path: str, wish: Wish) -> FileReport:
    """The code cells of a notebook moved as one source; raises UnreadableError where they cannot be parsed."""
    notebook = Notebook(text, path)
    if wish.python2to3 and python2.is_python2(notebook.source):
        moved = port_text(notebook.marked, path, wish)
        return FileReport(path, text, notebook.rewritten(moved.after), moved.changes)
    edits, changes = _decided(notebook.source, path, wish)
    return FileReport(path, text, notebook.edited(edits), changes)


def _decided(text: str, path: str, wish: Wish) -> tuple[list[Edit], tuple[Change, ...]]:
    """The edits of a source and what they are about; none where it does not speak of a framework."""
    if not _RELEVANT[wish.target].search(text) and not _of_older_release(text, wish.target):
        return [], ()
    with deciding(text, path, wish) as session:
        return unless_ignored(session, text)


def decided(text: str, path: str, wish: Wish) -> Session:
    """All that is to be changed in the source, and the names that it uses; raises UnreadableError where it cannot be parsed."""
    session = Session(Tree(text, path), wish)
    run(session, REWRITERS)
    flags.variables(session)
    imports.write_on_top(session)
    return session


@contextmanager
def deciding(text: str, path: str, wish: Wish) -> Iterator[Session]:
    """What `decided` returns, for the length of a `with`; its memory is free again after it."""
    with without_collection():
        session = decided(text, path, wish)
        try:
            yield session
        finally:
            session.tree.release()


def unless_ignored(session: Session, text: str) -> tuple[list[Edit], tuple[Change, ...]]:
    """The edits and changes, by place, without what a comment `# theanodiag: ignore[TD101]` is about."""
    edits, changes = session.edits, by_place(session.changes)
    ignores = read_ignores(text) if "theanodiag:" in text else ()
    if not ignores:
        return edits, changes
    left = [c for c in changes if any(i.covers(c.code, c.span.line) for i in ignores)]
    spared = [(c.span.start, c.span.end) for c in left if c.safety is not Safety.BY_HAND]
    kept = [e for e in edits if not any(start <= e.start and e.end <= end for start, end in spared)]
    return kept, tuple(c for c in changes if c not in left)


def _of_older_release(text: str, root: str) -> bool:
    """Whether a source may use a name that the target had once and has no more."""
    if root not in text:
        return False
    words = set(_WORD.findall(text))
    return not target(root).lost.isdisjoint(words) or (root == "pytensor" and not WORDS.isdisjoint(words))


def failed(path: str, text: str, error: TheanodiagError) -> FileReport:
    """The report of a file that could not be looked at."""
    return FileReport(path, text, text, failure=str(error))
