"""Rewrites the flags in a file that is not an rc file for another library: changes only the characters of the flags.

A value that cannot be edited in place stays unchanged, with a note of the reason. The new text is read again and must hold the planned
values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ...findings import Edit
from ..flags_variable import FlagsEntry, parse_flags
from ..migrate import Migration, Note, migrate_rc
from ..migrate_variable import flag_edits
from ..model import Dialect, FlagTable
from ..names import fold
from ..rcfile_text import apply_edits, parse_rc
from ..translations import EnvLine, environment
from ..values import is_text
from .file_kinds import FileKind
from .model import UNKNOWN, Carried, NotEditable, file_edits, flags_of, span_of
from .reading import read

LONGEST = 1000
"""Maximum number of lines of an rc file inside another file; a longer one is not rewritten."""


@dataclass(frozen=True)
class RewrittenFile:
    """The result of rewriting a file."""

    migration: Migration
    refused: tuple[Note, ...]
    """Values left unchanged although the target reads them differently, with the reason."""
    settings: int
    """Number of values that the file sets."""


@dataclass(frozen=True, eq=False)
class _Plan:
    """What to do with one value of the file."""

    carried: Carried
    after: str
    """The text of the value after the edits."""
    edits: tuple[Edit, ...]
    notes: tuple[Note, ...]
    env: tuple[EnvLine, ...]
    left: tuple[Note, ...] = ()
    """A note on each part of the value that could not be edited."""


def rewrite(text: str, path: str, kind: FileKind, target: FlagTable, *, unsafe: bool = False) -> RewrittenFile:
    """Rewrites the flags of a file for `target`. Values that cannot be edited stay unchanged and are listed in `refused`."""
    before = read(text, kind).carried
    plans, refused, stuck = list[_Plan](), list[Note](), set[Dialect]()
    for carried in before:
        try:
            plans.append((_plan_rc if carried.is_rc else _plan_flags)(carried, path, text, target, unsafe))
        except NotEditable as reason:
            refused.append(Note(f"left as it is: {reason}", span_of(carried, 0, path, text)))
            stuck |= set() if carried.is_rc else {carried.dialect}
    plans, names, more = _renamed(text, path, plans, stuck, target)
    refused += [*more, *(n for p in plans for n in p.left)]
    after = _applied(text, kind, target, before, plans, names)
    if after is None:
        places = [span_of(p.carried, 0, path, text) for p in plans if p.edits or p.carried.dialect is not target.dialect]
        notes_ = [Note("left unchanged: the new file would not have the intended meaning", place) for place in places]
        return RewrittenFile(Migration(path, text, text, (), ()), (*refused, *notes_), len(before))
    notes = tuple(dict.fromkeys(n for p in plans for n in p.notes))
    env = tuple(dict.fromkeys(line for p in plans for line in p.env))
    return RewrittenFile(Migration(path, text, after, notes, env), tuple(refused), len(before))


def _plan_flags(carried: Carried, path: str, text: str, target: FlagTable, unsafe: bool) -> _Plan:
    """How to rewrite the value of a flags variable. Raises `NotEditable`."""
    flags = flags_of(carried)
    if flags.open_quote:
        raise NotEditable("a quote or backslash in it is not closed")
    starts, ends = carried.value.starts, carried.value.ends
    cuts = frozenset(n for n in range(1, len(starts)) if starts[n] != ends[n - 1])
    inner, notes, gone = flag_edits(flags, target, unsafe=unsafe, unknown=UNKNOWN, cuts=cuts)
    after = apply_edits(flags.text, inner)
    # An empty value is one where a quote or the `=` stands before it; `ENV NAME` alone is an error.
    if inner and not after.strip() and text[carried.value.starts[0] - 1] not in "'\"=":
        raise NotEditable(f"{target.dialect.value} has none of these flags: remove it by hand")
    moved = tuple(Note(n.text, span_of(carried, n.span.start, path, text) if n.span else None) for n in notes)
    open_ones = tuple(
        Note(
            f"{e.key}: its value is known only when the program runs: {_question(target, e.key)}",
            span_of(carried, e.span.start, path, text),
        )
        for e in flags.entries
        if e.value is not None and UNKNOWN in e.whole and UNKNOWN not in e.key and not _is_accepted(target, e)
    )
    remarks = open_ones if inner or gone or carried.dialect is not target.dialect else ()
    return _Plan(carried, after, file_edits(carried, inner, path, text), (*moved, *remarks), environment(target, gone))


def _question(target: FlagTable, key: str) -> str:
    """What to do about a value that nobody can read here: it may have more flags in it, so it is not taken out."""
    if any(fold(flag.name) == fold(key) for flag in target.flags):
        return f"check whether {target.dialect.value} accepts it"
    return f"{target.dialect.value} has no such flag: take it out, unless the value sets other flags too"


def _is_accepted(target: FlagTable, entry: FlagsEntry) -> bool:
    """Whether the target accepts any value of this flag, such as a path, or the number of a GPU."""
    if target.dialect is Dialect.THEANO and re.fullmatch(rf"device=(?:cuda|gpu){UNKNOWN}", entry.whole.strip()):
        return True
    return any(fold(flag.name) == fold(entry.key) and is_text(flag) for flag in target.flags)


def _plan_rc(carried: Carried, path: str, text: str, target: FlagTable, unsafe: bool) -> _Plan:
    """How to rewrite the contents of an rc file that the file writes. Raises `NotEditable`."""
    if carried.dialect is not target.dialect:
        raise NotEditable(f"it writes {carried.target.replace(UNKNOWN, '...') or 'an rc file'}, which {target.dialect.value} does not read")
    document = parse_rc(carried.value.text, path)
    migration = migrate_rc(document, target, unsafe=unsafe)
    if migration.after == migration.before:
        return _Plan(carried, migration.after, (), (), ())
    if document.flaws:
        raise NotEditable("it is not a valid rc file: see config check")
    if len(document.lines) > LONGEST:
        raise NotEditable("it is too long")
    edits, left = _fitting(carried, _line_edits(migration.before, migration.after, path), path, text)
    notes = tuple(Note(n.text, span_of(carried, n.span.start, path, text) if n.span else None) for n in migration.notes)
    if left:  # the difference shows what was changed; unchanged places are listed
        notes = ()
    stays = tuple(Note(_stays(_line(carried.value.text, n)), span_of(carried, n, path, text)) for n in left)
    after = apply_edits(migration.before, edits)
    return _Plan(carried, after, file_edits(carried, edits, path, text), notes, migration.env, stays)


def _fitting(carried: Carried, edits: tuple[Edit, ...], path: str, text: str) -> tuple[tuple[Edit, ...], tuple[int, ...]]:
    """Divides edits of a value: (those that can be made in place, start offsets of the others).

    If an edit that changes the number of lines cannot be made, none of that kind is: what one removes from a line, another adds elsewhere.
    """
    refused = list[Edit]()
    for edit in edits:
        try:
            file_edits(carried, (edit,), path, text)
        except NotEditable:
            refused.append(edit)
    if any(e.replacement.count("\n") != carried.value.text[e.start : e.end].count("\n") for e in refused):
        refused = [e for e in edits if e in refused or e.replacement.count("\n") != carried.value.text[e.start : e.end].count("\n")]
    return tuple(e for e in edits if e not in refused), tuple(e.start for e in refused)


def _line(text: str, at: int) -> str:
    """The line of the text that begins at index `at`, or the one before the text's end."""
    return next(iter(text[at:].splitlines() or text.splitlines()[-1:]), "").strip()


def _stays(line: str) -> str:
    """The note on a line that cannot be changed."""
    reason = "a part of it is known only when the program runs" if UNKNOWN in line else "its change needs lines of its own"
    return f"{line.replace(UNKNOWN, '...')!r} left unchanged: {reason}"


def _line_edits(before: str, after: str, path: str) -> tuple[Edit, ...]:
    """The edits that turn `before` into `after`, line by line."""
    import difflib

    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changes = [op for op in matcher.get_opcodes() if op[0] != "equal"]
    pieces = list[tuple[int, int, str]]()
    for _, i1, i2, j1, j2 in changes:
        if i2 - i1 == j2 - j1:
            pieces += [(starts[i1 + n], starts[i1 + n + 1], new[j1 + n]) for n in range(i2 - i1)]
        else:
            pieces.append((starts[i1], starts[i2], "".join(new[j1:j2])))
    return tuple(Edit(path, *piece) for piece in pieces)


def _renamed(
    text: str, path: str, plans: list[_Plan], stuck: set[Dialect], target: FlagTable
) -> tuple[list[_Plan], list[Edit], list[Note]]:
    """Plans the renaming of other libraries' variables in the whole file: (plans that remain, edits of the names, notes on values left as
    they are).

    All values of a library stay if one of them cannot be rewritten (its library is in `stuck`), or if the file already uses the target's
    variable.
    """
    kept = [p for p in plans if p.carried.dialect is target.dialect or p.carried.is_rc]
    edits, more, new = list[Edit](), list[Note](), target.dialect.flags_variable
    for dialect in dict.fromkeys(p.carried.dialect for p in plans if p not in kept):
        own, old = [p for p in plans if p not in kept and p.carried.dialect is dialect], dialect.flags_variable
        reason = f"another value of {old} in this file cannot be rewritten" if dialect in stuck else ""
        reason = f"the file has {new} already" if _mentions(new).search(text) else reason
        if reason:
            more += [Note(f"left as it is: {reason}", span_of(p.carried, 0, path, text)) for p in own]
            continue
        kept += own
        edits += [Edit(path, m.start(), m.end(), new) for m in _mentions(old).finditer(text)]
    return kept, edits, more


def _mentions(variable: str) -> re.Pattern[str]:
    """The pattern of a variable's name as a whole word, also after the prefixes of Apptainer and Singularity."""
    return re.compile(rf"(?:(?<![A-Za-z0-9_])|(?<=APPTAINERENV_)|(?<=SINGULARITYENV_)){variable}(?!\w)")


def _applied(
    text: str, kind: FileKind, target: FlagTable, before: tuple[Carried, ...], plans: list[_Plan], names: list[Edit]
) -> str | None:
    """The text of the file after all edits. None if edits overlap, or if reading the new text does not give the planned values, which
    happens with unbalanced quotes or brackets.
    """
    try:
        after = apply_edits(text, _once([*(e for p in plans for e in p.edits), *names]))
    except ValueError:
        return None
    wanted = {id(p.carried): (p.carried.dialect if p.carried.is_rc else target.dialect, p.after) for p in plans}
    expected = [wanted.get(id(c), (c.dialect, c.value.text)) for c in before]
    actual = [(c.dialect, c.value.text) for c in read(after, kind).carried]
    return after if _with_flags(actual) == _with_flags(expected) else None


def _once(edits: list[Edit]) -> list[Edit]:
    """The edits without repetition, because a text that is used in two values is edited once; removals that overlap are one."""
    once = list[Edit]()
    for edit in sorted(dict.fromkeys(edits), key=lambda e: (e.start, e.end)):
        if once and not edit.replacement and not once[-1].replacement and edit.start < once[-1].end:
            once[-1] = replace(once[-1], end=max(once[-1].end, edit.end))
        else:
            once.append(edit)
    return once


def _with_flags(values: list[tuple[Dialect, str]]) -> list[tuple[Dialect, tuple[str, ...]]]:
    """(library, flags as written, or the whole text if it contains `[`) of each value that has a known part, without repetition: of
    `X=a`, `X=$X,b` nothing is left but `X=a`, `X=$X` where `b` is taken out.
    """
    known = [(dialect, text) for dialect, text in values if text.replace(UNKNOWN, "").strip(" ,")]
    flags = ((dialect, tuple(e.whole for e in parse_flags(text).entries) if "[" not in text else (text,)) for dialect, text in known)
    return list(dict.fromkeys(flags))
