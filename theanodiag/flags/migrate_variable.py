"""Migrates a flags variable to another library, with notes on entries that are not flags there."""

from __future__ import annotations

from ..findings import Edit
from .flags_variable import FlagsEntry, FlagsText, parse_flags, quote_value
from .migrate import Migration, Note, named
from .migrate_entry import NO_COMPILER, decide, needs_compiler, was_live
from .model import FlagTable
from .rcfile_text import apply_edits
from .translations import Move, environment, numbered_gpu


def migrate_flags(text: FlagsText, target: FlagTable, *, unsafe: bool = False) -> Migration:
    """Migrates a flags variable. Removed flags are only noted, because a flags variable cannot contain comments."""
    edits, notes, gone = flag_edits(text, target, unsafe=unsafe)
    return Migration(text.source, text.text, apply_edits(text.text, edits), notes, environment(target, gone))


FlagEdits = tuple[tuple[Edit, ...], tuple[Note, ...], tuple[tuple[str, str], ...]]
"""The edits of a flags variable's text, the notes, and (dotted name, text) of the removed flags."""


def flag_edits(
    text: FlagsText, target: FlagTable, *, unsafe: bool = False, unknown: str = "", cuts: frozenset[int] = frozenset()
) -> FlagEdits:
    """Returns the edits that a migration makes in a flags variable; of the entries that contain the character `unknown`, only in a GPU
    whose number is unknown. `cuts` has the indices at which parts of the text begin that are apart in their file.
    """
    bare = any((e.key, e.value) == ("cxx", "") for e in text.entries)
    moves = [(e, _flag_move(e, target, bare, unknown)) for e in text.entries]
    taken = {e.key.replace("__", ".") for e, move in moves if move is None}
    pieces, notes = [], []
    for entry, move in moves:
        if move is None or (move.stays and not unsafe):
            pieces.append((entry, entry.whole))
            continue
        placed = tuple((n, v) for n, v in move.writes if n not in taken) if move.safe or unsafe else ()
        taken.update(n for n, _ in placed)
        pieces.append((entry, ",".join(f"{_spelled(n, target)}={quote_value(v)}" for n, v in placed)))
        left = " (--unsafe writes it)" if move.writes and not move.safe else ""
        done = " and ".join(f"{_spelled(n, target)}={v.replace(unknown or '...', '...')}" for n, v in placed) or f"taken out{left}"
        notes.append(Note(f"{named(entry.key.strip(), move.reason)} -> {done}", entry.span))
    gone = tuple((e.key.replace("__", "."), e.value or "") for e, move in moves if move)
    return tuple(_joining(text, pieces, cuts)), tuple(notes), gone


def _flag_move(entry: FlagsEntry, target: FlagTable, bare: bool, unknown: str) -> Move | None:
    """The Move of an entry of a flags variable; None if it stays. `bare`: whether the variable sets an empty `cxx`."""
    if unknown and unknown in entry.whole:
        return numbered_gpu(entry.key, entry.value, unknown, target)
    if entry.value is None:
        return Move("it has no value, so the library only warns about it")
    flag = target.get(entry.key)
    if bare and flag and needs_compiler(flag, entry.value):
        return NO_COMPILER
    name = entry.key.replace("__", ".")
    return decide(flag, was_live(name, None, entry.key), name, entry.value, target, entry.key)


def _spelled(dotted: str, target: FlagTable) -> str:
    """The flag's name as the target's variable spells it; the dotted name if the target has no such flag."""
    flag = target.dotted(dotted)
    return flag.name if flag else dotted


def _joining(text: FlagsText, pieces: list[tuple[FlagsEntry, str]], cuts: frozenset[int]) -> list[Edit]:
    """The edits that replace each entry by its piece. An empty piece removes the entry and the comma before it; the comma after it where
    all entries before it go, or where only this one is in the entry's own part of the text (`cuts` are the beginnings of parts).
    """
    edits = [Edit(text.source, e.span.start, e.span.end, piece) for e, piece in pieces if piece and piece != e.whole]
    kept, at = False, 0
    for n, (entry, piece) in enumerate(pieces):
        kept = kept or bool(piece)
        if piece:
            continue
        start, end = entry.span.start, entry.span.end
        before = pieces[n - 1][0].span.end if n else start
        after = pieces[n + 1][0].span.start if n + 1 < len(pieces) else end
        own = cuts.isdisjoint(range(before + 1, start + 1)), cuts.isdisjoint(range(end, after))
        start, end = (before, end) if kept and (own[0] or not own[1]) else (start, after)
        edits.append(Edit(text.source, max(start, at), end, ""))
        at = end
    return edits


def verify_flags(migration: Migration, target: FlagTable) -> None:
    """Checks that a migrated flags variable needs no second migration. Raises RuntimeError if it does, because that is a bug."""
    again = migrate_flags(parse_flags(migration.after, migration.source), target)
    if again.after != migration.after:
        raise RuntimeError("the rewritten flags need a second pass; nothing was written")
