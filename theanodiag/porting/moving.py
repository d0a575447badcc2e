"""One source from end to end: parse it, decide, edit its text, and look at the result once more."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..errors import TheanodiagError
from ..source.ignores import read_ignores
from .model import Change, Edit, FileReport, Safety, Wish
from .rewriters import REWRITERS
from .session import Session, by_place, run
from .syntax import Tree

_RELEVANT = {
    "pytensor": re.compile(r"theano|aesara", re.IGNORECASE),
    "aesara": re.compile(r"theano", re.IGNORECASE),
}
"""Per target what a source must say for there to be anything to do."""


def port_text(text: str, path: str, wish: Wish) -> FileReport:
    """The source moved as `wish` says; raises UnreadableError where it cannot be parsed."""
    if not _RELEVANT[wish.target].search(text):
        return FileReport(path, text, text)
    session = Session(Tree(text, path), wish)
    run(session, REWRITERS)
    edits, changes = _unless_ignored(session.edits, by_place(session.changes), text)
    return FileReport(path, text, applied(text, edits), changes)


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; an edit inside of another one is left out."""
    parts: list[str] = []
    at = 0
    for edit in sorted(dict.fromkeys(edits), key=lambda e: (e.start, e.end)):
        if edit.start < at:
            continue
        parts += [text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join([*parts, text[at:]])


def _unless_ignored(edits: list[Edit], changes: tuple[Change, ...], text: str) -> tuple[list[Edit], tuple[Change, ...]]:
    """Without what a comment `# theanodiag: ignore[TD101]` is about."""
    ignores = read_ignores(text) if "theanodiag:" in text else ()
    if not ignores:
        return edits, changes
    left = [c for c in changes if any(i.covers(c.code, c.span.line) for i in ignores)]
    spared = [(c.span.start, c.span.end) for c in left if c.safety is not Safety.BY_HAND]
    kept = [e for e in edits if not any(start <= e.start and e.end <= end for start, end in spared)]
    return kept, tuple(c for c in changes if c not in left)


def failed(path: str, text: str, error: TheanodiagError) -> FileReport:
    """The report of a file that could not be looked at."""
    return FileReport(path, text, text, failure=str(error))
