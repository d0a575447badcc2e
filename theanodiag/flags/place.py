"""Places the moves of a migration in an rc file: in place, or as a comment with a new line in the right section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..errors import Span
from ..findings import Edit
from .document import Document, LineKind, RcEntry, RcSection
from .edits import add_lines, comment_line, comment_out, end_of_section, indent_of, insert, option_line
from .model import Flag, FlagTable
from .translations import Move


@dataclass(frozen=True)
class Placement:
    """The move of one entry and what is written for it."""

    entry: RcEntry
    flag: Flag | None
    """The flag that the entry sets in the target; None where it sets none."""
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


def header_options(document: Document, target: FlagTable, kept: set[str]) -> tuple[RcEntry, ...]:
    """Headers such as `[mode]=FAST_RUN`, which the parser reads as empty sections, as the options that they were meant to be.

    Headers of sections that the target has, or in which entries stay (`kept`), are left out.
    """
    taken = {f.section for f in target.flags} | kept
    headers = [n for n, line in enumerate(document.lines) if line.kind is LineKind.SECTION]
    meant = [(s, n) for s, n in zip(document.sections, headers) if s.tail.lstrip()[:1] in ("=", ":") and s.name not in taken]
    return tuple(_header_option(document, header, line) for header, line in meant)


def _header_option(document: Document, header: RcSection, line: int) -> RcEntry:
    span = Span(document.source, document.text, header.span.start, document.lines[line].end)
    value = header.tail.lstrip()[1:].strip()
    return RcEntry("global", header.name, value, span, header.span, replace(span, start=span.end), line, line)


def place_moves(document: Document, target: FlagTable, placements: Sequence[Placement]) -> tuple[Edit, ...]:
    """The edits of the file for all moves."""
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


def _in_place(document: Document, target: FlagTable, placement: Placement) -> tuple[Edit, ...]:
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


def _commented(document: Document, placement: Placement) -> tuple[Edit, ...]:
    entry, reason = placement.entry, placement.move.reason
    if document.lines[entry.first_line].kind is LineKind.SECTION:
        at = document.lines[entry.first_line].start + len(indent_of(document, entry.first_line))
        return (comment_line(document, entry.first_line, reason), insert(document, at, "# "))
    return comment_out(document, entry, reason)


def _to_section(document: Document, number: int, new: Sequence[Addition]) -> Edit:
    at, indent = end_of_section(document, number)
    return add_lines(document, at, [option_line(document, indent, a.option, a.value) for a in new])


def _new_sections(document: Document, new: dict[str, list[Addition]]) -> Iterator[Edit]:
    """The edits that add new sections, each behind the section that its first option comes from."""
    for section, additions in new.items():
        number = document.lines[additions[0].placement.entry.first_line].section
        at, indent = end_of_section(document, number)
        lines = [option_line(document, indent, a.option, a.value) for a in additions]
        yield add_lines(document, at, ["", f"{indent}[{section}]", *lines])
