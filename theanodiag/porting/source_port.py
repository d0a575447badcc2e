"""Ports one source: parses it, decides on changes, edits its text, and checks the result."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..errors import ExitCode, TheanodiagError, UnreadableError
from . import accepted_arguments, calls, classes, flags, imports, pymc3_imports, python2, unported_libraries
from .deprecated import WORDS
from .edits import NOWHERE, Around, applied
from .ignores import Ignore, read_ignores
from .model import Change, FileReport, PortEdit, PortOptions, Safety
from .notebook import Notebook
from .parser import without_collection
from .rewriting import by_place, rewrite
from .session import PortSession, Rewriter
from .syntax import Tree
from .targets import target

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
    """The error for a file on which theanodiag itself failed."""
    return _OwnBugError(f"a bug of theanodiag: {what}", path=path, help="report it; the file stays")


def port_text(text: str, path: str, options: PortOptions, around: Around = NOWHERE) -> FileReport:
    """The ported source; raises UnreadableError if it cannot be parsed."""
    before, translations = text, tuple[Change, ...]()
    if options.python2to3:
        text, translations = python2.to_python3(text, path, options, around)
    edits, changes = _edits_for(text, path, options, around)
    after = applied(text, edits)
    if edits and python2.is_python2(after) and not python2.is_python2(text):
        raise bug(path, "the ported source could not be parsed")
    return FileReport(path, before, after, (*translations, *changes))


def port_notebook(text: str, path: str, options: PortOptions, around: Around = NOWHERE) -> FileReport:
    """The code cells of a notebook, ported as one source; raises UnreadableError if they cannot be parsed."""
    notebook = Notebook(text, path)
    if options.python2to3 and python2.is_source_of_python2(notebook.source, path, around):
        moved = port_text(notebook.marked, path, options, around)
        return FileReport(path, text, notebook.rewritten(moved.after), moved.changes)
    edits, changes = _edits_for(notebook.source, path, options, around)
    return FileReport(path, text, notebook.edited(edits), changes)


def _edits_for(text: str, path: str, options: PortOptions, around: Around) -> tuple[list[PortEdit], tuple[Change, ...]]:
    """(edits, changes) of a source. Without names of a framework: no edits, and what else keeps the source from running in Python 3."""
    if (
        not _RELEVANT[options.target].search(text)
        and not _of_older_release(text, options.target)
        and not unported_libraries.TEXT.search(text)
    ):
        return [], python2.left(text, path, options, around)
    with open_session(text, path, options, around) as session:
        return unless_ignored(session, text)


def rewrite_session(text: str, path: str, options: PortOptions, around: Around = NOWHERE) -> PortSession:
    """All changes to make in the source, and the names that it uses; raises UnreadableError if it cannot be parsed."""
    try:
        session = PortSession(Tree(text, path), options)
        rewrite(session, REWRITERS)
        flags.variables(session)
        imports.write_on_top(session)
        accepted_arguments.write(session)
        pymc3_imports.write(session)
        unported_libraries.note(session, around)
        python2.note(session, around)
        return session
    except RecursionError:
        raise UnreadableError("its expressions are nested too deeply to be read", path=path, help="leave the file out") from None


@contextmanager
def open_session(text: str, path: str, options: PortOptions, around: Around = NOWHERE) -> Iterator[PortSession]:
    """The session of `rewrite_session`, for use in a `with` block, which frees its memory at the end."""
    with without_collection():
        session = rewrite_session(text, path, options, around)
        try:
            yield session
        finally:
            session.tree.release()


def unless_ignored(session: PortSession, text: str) -> tuple[list[PortEdit], tuple[Change, ...]]:
    """The edits and changes, in order, except those silenced by a comment such as `# theanodiag: ignore[TD101]`."""
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
    """The report of a file that could not be processed."""
    return FileReport(path, text, text, failure=str(error), bug=error.exit_code is ExitCode.BUG)


def skipped(path: str, reason: str) -> FileReport:
    """The report of a file that was skipped."""
    return FileReport(path, "", "", skipped=reason)
