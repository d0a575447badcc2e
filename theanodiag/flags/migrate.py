"""Migrates an rc file or a flags variable to another library, with notes on entries that are not flags there.

In a file nothing is lost: a removed entry becomes a comment below the reason, and unchanged lines keep every byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Union

from ..errors import Span
from ..findings import Edit
from .defaults import load_table
from .diagnose import Unread, why_unread
from .migrate_entry import NO_COMPILER, decide, needs_compiler, was_live
from .model import Dialect, Flag, FlagTable
from .names import dotted_name, flag_in_default, rc_flag
from .rcfile import DEFAULT_SECTION
from .rcfile_text import (
    Flaw,
    FlawKind,
    LineKind,
    PhysicalLine,
    RcDocument,
    RcEntry,
    RcSection,
    add_lines,
    apply_edits,
    comment_line,
    comment_out,
    effective_text,
    end_of_section,
    from_latin1,
    indent_of,
    insert,
    names_in,
    option_line,
    parse_rc,
)
from .translations import EnvLine, Move, environment
from .values import is_text, split_comment


@dataclass(frozen=True)
class Placement:
    """The move of one entry: the flags to write in its place."""

    entry: RcEntry
    move: Move
    writes: tuple[tuple[str, str], ...]
    """(dotted name, text) of the flags to write."""


@dataclass(frozen=True)
class Addition:
    """A line to add to a section."""

    placement: Placement
    """The move that adds it."""
    option: str
    value: str


def header_options(document: RcDocument, target: FlagTable, kept: set[str]) -> tuple[RcEntry, ...]:
    """Returns the options that were meant by headers such as `[mode]=FAST_RUN`, which the parser reads as empty sections.

    Headers are left out if the target has a section of that name, or if entries stay in the section (`kept`).
    """
    taken = {f.section for f in target.flags} | kept
    headers = [n for n, line in enumerate(document.lines) if line.kind is LineKind.SECTION]
    options = [(s, n) for s, n in zip(document.sections, headers) if s.tail.lstrip()[:1] in ("=", ":") and s.name not in taken]
    return tuple(_header_option(document, header, line) for header, line in options)


def _header_option(document: RcDocument, header: RcSection, line: int) -> RcEntry:
    """The entry that a header with a value, such as `[mode]=FAST_RUN`, was meant to be."""
    span = Span(document.source, document.text, header.span.start, document.lines[line].end)
    value = header.tail.lstrip()[1:].strip()
    return RcEntry("global", header.name, value, span, header.span, replace(span, start=span.end), line, line)


def place_moves(document: RcDocument, target: FlagTable, placements: Sequence[Placement]) -> tuple[Edit, ...]:
    """Returns the edits of the file for all moves."""
    edits: list[Edit] = []
    new: dict[str, list[Addition]] = {}
    for placement in placements:
        inside = _in_place(document, target, placement)
        if inside:
            edits += inside
            continue
        edits += _commented(document, placement)
        for name, value in placement.writes:
            flag = target.dotted(name)
            if flag:
                new.setdefault(flag.section, []).append(Addition(placement, flag.option, value))
    known = {s.name: n for n, s in enumerate(document.sections)}
    added = [_to_section(document, known[section], lines) for section, lines in new.items() if section in known]
    added += _new_sections(document, {s: lines for s, lines in new.items() if s not in known})
    # At one place a new line comes before what is done to the line below it, but behind the value at the end of the file.
    return (*(e for e in added if e.start < len(document.text)), *edits, *(e for e in added if e.start == len(document.text)))


def _in_place(document: RcDocument, target: FlagTable, placement: Placement) -> tuple[Edit, ...]:
    """The edits that change value and name where the entry is; empty unless the section is right and the value has one line."""
    entry = placement.entry
    if len(placement.writes) != 1 or entry.first_line != entry.last_line or document.lines[entry.first_line].kind is LineKind.SECTION:
        return ()
    flag = target.dotted(placement.writes[0][0])
    if flag is None or flag.section != entry.section:
        return ()
    edits = []
    if placement.move.comment:
        line = indent_of(document, entry.first_line) + placement.move.comment + document.newline
        edits.append(insert(document, document.lines[entry.first_line].start, line))
    if flag.option.lower() != entry.key:
        edits.append(Edit(document.source, entry.name_span.start, entry.name_span.end, flag.option))
    return (*edits, Edit(document.source, entry.value_span.start, entry.value_span.end, placement.writes[0][1]))


def _commented(document: RcDocument, placement: Placement) -> tuple[Edit, ...]:
    """The edits that turn an entry, or a header with a value, into a comment below the reason."""
    entry, reason = placement.entry, placement.move.reason
    if document.lines[entry.first_line].kind is LineKind.SECTION:
        at = document.lines[entry.first_line].start + len(indent_of(document, entry.first_line))
        return (comment_line(document, entry.first_line, reason), insert(document, at, "# "))
    return comment_out(document, entry, reason)


def _to_section(document: RcDocument, number: int, new: Sequence[Addition]) -> Edit:
    """The edit that adds options to the existing section `number`."""
    at, indent = end_of_section(document, number)
    return add_lines(document, at, [option_line(document, indent, a.option, a.value) for a in new])


def _new_sections(document: RcDocument, new: dict[str, list[Addition]]) -> Iterator[Edit]:
    """The edits that add new sections, each behind the section that its first option comes from."""
    for section, additions in new.items():
        number = document.lines[additions[0].placement.entry.first_line].section
        at, indent = end_of_section(document, number)
        lines = [option_line(document, indent, a.option, a.value) for a in additions]
        yield add_lines(document, at, ["", f"{indent}[{section}]", *lines])


_COMMENTED = re.compile(r"(\[[^]]+\])\s*([#;].*)")


def repaired(document: RcDocument) -> RcDocument:
    """Returns the document without flaws; the same object if it has none. Repairing a repaired document changes nothing."""
    steps = (_characters, _headers, _lines, _sections, _options)
    for step in steps:
        edits = tuple(step(document))
        if edits:
            document = parse_rc(apply_edits(document.text, edits), document.source)
    return document


def _of(document: RcDocument, kind: FlawKind) -> tuple[Flaw, ...]:
    """The document's flaws of one kind."""
    return tuple(f for f in document.flaws if f.kind is kind)


REPAIRED: Mapping[FlawKind, str] = {
    FlawKind.BOM: "byte order mark: removed",
    FlawKind.NOT_UTF8: "a byte that is not UTF-8: read as Windows-1252, written as UTF-8",
    FlawKind.NO_HEADER: "option before the first [section]: [global] was put above it",
    FlawKind.JUNK: "neither a [section], an option nor a comment: the line was commented out",
    FlawKind.DUPLICATE_SECTION: "duplicate section: its options were moved to the first one",
    FlawKind.DUPLICATE_OPTION: "duplicate option: the earlier value was commented out",
}
"""What was done about each flaw, for messages."""


def _characters(document: RcDocument) -> Iterator[Edit]:
    """Removes the byte order mark; bytes that are not UTF-8 are read as Windows-1252 and written as UTF-8."""
    for flaw in _of(document, FlawKind.BOM):
        yield Edit(document.source, flaw.span.start, flaw.span.end, "")
    for flaw in _of(document, FlawKind.NOT_UTF8):
        yield Edit(document.source, flaw.span.start, flaw.span.end, from_latin1(document.text[flaw.span.start : flaw.span.end]))


def _headers(document: RcDocument) -> Iterator[Edit]:
    """Moves a comment that contains brackets from behind a header to its own line: since Python 3.10 it would be part of the section's
    name.
    """
    for section in document.sections:
        match = _COMMENTED.fullmatch(section.span.text[section.span.start : section.span.end] + section.tail)
        if match and "]" in section.name:
            end = section.span.end + len(section.tail)
            yield Edit(document.source, section.span.start, end, f"{match[2]}{document.newline}{match[1]}")


def _lines(document: RcDocument) -> Iterator[Edit]:
    """Turns junk lines, and what is indented below them, into comments; puts `[global]` before options without a section."""
    junk = False
    for line in document.lines:
        junk = line.kind is LineKind.JUNK or (junk and line.kind not in (LineKind.SECTION, LineKind.OPTION))
        if junk and line.kind in (LineKind.JUNK, LineKind.CONTINUATION):
            content = document.text[line.start : line.end]
            yield insert(document, line.end - len(content.lstrip()), "# ")
    first = next((n for n, line in enumerate(document.lines) if line.kind is LineKind.OPTION), None)
    if first is not None and document.lines[first].section < 0:
        yield insert(document, document.lines[first].start, f"{indent_of(document, first)}[global]{document.newline}")


def _sections(document: RcDocument) -> Iterator[Edit]:
    """Merges repeated sections into the first one, as Python 2 read them; the repeated header becomes a comment."""
    parts_of: dict[str, list[int]] = {}
    for n, section in enumerate(document.sections):
        parts_of.setdefault(section.name, []).append(n)
    doubled = [numbers for name, numbers in parts_of.items() if len(numbers) > 1 and name != DEFAULT_SECTION]
    for first, *parts in doubled:
        at, indent = end_of_section(document, first)
        moved = [text for n in parts for line in _own(document, n) for text in _moved(document, line, indent)]
        yield add_lines(document, at, moved)
    for n in (n for _, *parts in doubled for n in parts):
        own = _own(document, n)
        yield Edit(document.source, own[0].start, own[-1].stop, "")


def _own(document: RcDocument, section: int) -> list[PhysicalLine]:
    """The lines of a section."""
    return [document.lines[n] for n in document.lines_of[section]]


def _moved(document: RcDocument, line: PhysicalLine, indent: str) -> Iterator[str]:
    """Yields the text of a line with `indent`, for another section; a header becomes a comment."""
    content = document.text[line.start : line.end]
    if line.kind is LineKind.SECTION:
        yield f"{indent}# {content.lstrip()}"
    elif line.kind is LineKind.OPTION:
        yield indent + content.lstrip()
    elif line.kind is LineKind.CONTINUATION:
        yield f"{indent}    {content.lstrip()}"
    else:
        yield content


def _options(document: RcDocument) -> Iterator[Edit]:
    """Keeps the last of repeated options, as Python 2 did; the others become comments."""
    last = {(e.section, e.key): e for e in document.entries}
    for entry in document.entries:
        if last[entry.section, entry.key] is not entry:
            yield from comment_out(document, entry, f"{entry.option} is set again below, and the last one takes effect")


TARGETS = {"theano-1.0": (Dialect.THEANO, "1.0.5"), "aesara": (Dialect.AESARA, None), "pytensor": (Dialect.PYTENSOR, None)}
"""Name that `--to` takes -> (library, version); None is the newest version."""

Plan = list[tuple[RcEntry, Union[Flag, None], Union[Move, None]]]
"""Each entry with the flag that it sets in the target and its Move; None: the entry stays."""


@dataclass(frozen=True)
class Note:
    """A remark on what was done with one entry, or what the user must do."""

    text: str
    span: Span | None = None
    """Where the entry was."""


@dataclass(frozen=True)
class Migration:
    """The result: `after` is the new text, equal to `before` if nothing changed."""

    source: str
    """The file's path or the variable's name, for messages."""
    before: str
    after: str
    notes: tuple[Note, ...]
    env: tuple[EnvLine, ...]
    """Environment variables to set from now on."""
    expected: tuple[tuple[str, str], ...] = ()
    """(flag, text) of all flags that the new text must set, sorted; verified before it is written."""


def target_table(name: str) -> FlagTable:
    """Returns the flags of the library that `--to` names."""
    return load_table(*TARGETS[name])


def migrate_rc(document: RcDocument, target: FlagTable, *, unsafe: bool = False) -> Migration:
    """Migrates an rc file, after repairing flaws that the parser rejects.

    Without `unsafe`, changes that may be wrong are only noted, not written.
    """
    sound = repaired(document)
    where = _Places(document, sound)
    notes = [Note(REPAIRED[f.kind], f.span) for f in document.flaws]
    plan = _plan(sound, target)
    if not unsafe:
        left = [(e, move) for e, _, move in plan if move and move.stays]
        notes += [Note(f"{dotted_name(e.section, e.option)}: {m.reason} -> stays (--unsafe writes it)", where(e)) for e, m in left]
        plan = [(e, flag, None if move and move.stays else move) for e, flag, move in plan]
    kept_sections = {e.section for e, _, move in plan if move is None}
    plan += [(e, None, _header_move(e, target)) for e in header_options(sound, target, kept_sections)]
    taken = {flag.dotted for _, flag, move in plan if flag and move is None}
    kept = {flag.dotted: e.value for e, flag, move in plan if flag and move is None and _counts(plan, e, flag)}
    placements = []
    for entry, _, move in plan:
        if move:
            placed = _settle(entry, move, taken, unsafe)
            placements.append(placed)
            kept.update(placed.writes)
            notes.append(Note(_note_text(dotted_name(entry.section, entry.option), placed, move), where(entry)))
    after = apply_edits(sound.text, place_moves(sound, target, placements))
    gone = [(dotted_name(e.section, e.option), split_comment(e.value)[0]) for e, _, move in plan if move]
    return Migration(document.source, document.text, after, tuple(notes), environment(target, gone), tuple(sorted(kept.items())))


class _Places:
    """Finds where an entry of the repaired text is in the user's text."""

    def __init__(self, document: RcDocument, sound: RcDocument) -> None:
        self.moved = sound is not document
        self.last: dict[tuple[str, str | None], RcEntry] = {}
        """By option and section, and by the option alone (None), the last entry."""
        for e in document.entries if self.moved else ():
            self.last[e.key, e.section or ""] = self.last[e.key, None] = e
        self.headers = {s.name: s.span for s in document.sections}

    def __call__(self, entry: RcEntry) -> Span | None:
        """The Span of an entry in the user's text: the last entry of that name in its section, which the repair kept. None if not found."""
        if not self.moved:
            return entry.span
        own = next((e for s in (entry.section, "", None) if (e := self.last.get((entry.key, s)))), None)
        return own.span if own else self.headers.get(entry.option)


def _plan(document: RcDocument, target: FlagTable) -> Plan:
    """Each entry with its flag and its Move. An option to which other values refer as `%(name)s` stays while one of those stays."""
    flags = [rc_meaning(document, e, target) for e in document.entries]
    moves = [_rc_move(document, e, flag, target) for e, flag in zip(document.entries, flags)]
    kept = _kept_for_others(document, [move is not None and not any("%(" in v for _, v in move.writes) for move in moves], flags)
    return [(e, flag, None if n in kept else move) for n, (e, flag, move) in enumerate(zip(document.entries, flags, moves))]


def _kept_for_others(document: RcDocument, going: list[bool], flags: list[Flag | None]) -> set[int]:
    """Indices of entries that set no flag but to which a remaining value refers; `going`: whether each goes if no value refers to it."""
    users: dict[tuple[str, str], set[int]] = {}
    for n, e in enumerate(document.entries):
        for name in {name.lower() for name in names_in(e.value)} if "%(" in e.value else ():
            for section in {e.section, DEFAULT_SECTION}:
                users.setdefault((section, name), set()).add(n)
    named = {n: users[e.section, e.key] for n, e in enumerate(document.entries) if flags[n] is None and (e.section, e.key) in users}
    kept = set(named)
    gone = [n for n, goes in enumerate(going) if goes and n not in kept]
    uses: dict[int, list[int]] = {}
    for n, those in named.items():
        for user in those:
            uses.setdefault(user, []).append(n)
    left = {n: len(those) for n, those in named.items()}
    while gone:
        for n in uses.get(gone.pop(), ()):
            left[n] -= 1
            if not left[n]:
                kept.remove(n)
                gone += [n] if going[n] else []
    return kept


def _counts(plan: Plan, entry: RcEntry, flag: Flag) -> bool:
    """Whether an entry takes effect: one in `[DEFAULT]` does unless the flag's own section still has one."""
    return entry.section != DEFAULT_SECTION or all(f is not flag or e.section == DEFAULT_SECTION or move for e, f, move in plan)


def rc_meaning(document: RcDocument, entry: RcEntry, table: FlagTable) -> Flag | None:
    """Returns the flag that an entry sets, None if it sets none. An option of `[DEFAULT]` applies to each section of the file."""
    if entry.section != DEFAULT_SECTION:
        return rc_flag(table, entry.section, entry.key)
    return flag_in_default(table, entry.key, document.section_numbers)


def _rc_move(document: RcDocument, entry: RcEntry, flag: Flag | None, target: FlagTable) -> Move | None:
    """The Move of an entry of an rc file; None if it stays."""
    if flag is None and why_unread(target, entry.section, entry.key, entry.value) is Unread.HELPER:
        return None
    # A text keeps its %(name)s; anything else is judged, and if need be written, as it is after interpolation.
    text = entry.value if flag is None or is_text(flag) else effective_text(document, entry)
    if flag and needs_compiler(flag, text) and document.options.get("global", {}).get("cxx") == "":
        return NO_COMPILER
    section = flag.section if flag and entry.section == DEFAULT_SECTION else entry.section
    name = dotted_name(section, entry.option)
    shown = f"[{entry.section}] {entry.option}" if section != "global" else entry.option
    return decide(flag, was_live(name, section, entry.key), name, text, target, shown)


def _header_move(entry: RcEntry, target: FlagTable) -> Move:
    """The move of an option that was written as a header: it had no effect, so it is only written with `--unsafe`."""
    flag = rc_flag(target, entry.section, entry.key)
    inner = decide(flag, flag is not None, entry.option, entry.value, target, entry.option)
    writes = inner.writes if inner else ((flag.dotted, entry.value),) if flag else ()
    hint = f"; did you mean {writes[0][0]} = {writes[0][1]}?" if writes else ""
    return Move(f"this is an empty section{hint}", writes, safe=False)


def _settle(entry: RcEntry, move: Move, taken: set[str], unsafe: bool) -> Placement:
    """The Placement of a move, without writes that are unsafe (unless `unsafe`) and without flags that the file sets already (`taken`)."""
    wanted = move.writes if move.safe or unsafe else ()
    writes = tuple((n, v) for n, v in wanted if n not in taken)
    left = [f"{n} is set already: add {v} to it if it is needed" for n, v in wanted if n in taken and v]
    taken.update(n for n, _ in writes)
    return Placement(entry, replace(move, reason="; ".join([move.reason, *left])), writes)


def _note_text(name: str, placed: Placement, move: Move) -> str:
    """The note on an entry: its name, the reason, and what was written for it."""
    done = " and ".join(f"{n} = {v}" for n, v in placed.writes)
    left = " (--unsafe writes it)" if move.writes and not move.safe else ""
    return f"{named(name, placed.move.reason).rstrip('.')} -> {done or 'now a comment' + left}"


def named(name: str, reason: str) -> str:
    """Returns the reason of a change after the name of its flag, which it may begin with."""
    return reason if reason.startswith(f"{name} ") else f"{name}: {reason}"


def verify_rc(migration: Migration, target: FlagTable) -> None:
    """Checks a migrated rc file by parsing it: the library must accept it, it must set the expected flags, and need no second migration.

    Raises RuntimeError if not, because that is a bug.
    """
    document = parse_rc(migration.after, migration.source)
    actual = {f.dotted: e.value for e in document.entries if (f := rc_meaning(document, e, target)) and e.section == DEFAULT_SECTION}
    actual.update({f.dotted: e.value for e in document.entries if e.section != DEFAULT_SECTION and (f := rc_meaning(document, e, target))})
    again = migrate_rc(document, target)
    if document.flaws or tuple(sorted(actual.items())) != migration.expected or again.after != migration.after:
        raise RuntimeError(f"the rewritten {migration.source} does not have the intended meaning; nothing was written")
