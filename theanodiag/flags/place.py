"""Where the moves of a migration go in an rc file: in place, or as a comment and a new line in the right section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..errors import Span
from ..findings import Edit
from .document import Document, LineKind, RcEntry
from .edits import add_lines, comment_line, comment_out, end_of_section, indent_of, insert
from .model import Flag, FlagTable
from .moves import Move


@dataclass(frozen=True)
class Placement:
    """A move of one entry, and what of it is written."""

    entry: RcEntry
    flag: Flag | None
    """What the entry sets in the target."""
    move: Move
    writes: tuple[tuple[str, str], ...]
    """Dotted names and texts."""


def header_options(document: Document, target: FlagTable) -> tuple[RcEntry, ...]:
    """Headers such as `[mode]=FAST_RUN`, which the parser takes for an empty section, as the options that they were meant to be."""
    return tuple(_header_option(document, n) for n in range(len(document.sections)) if _is_option(document, n, target))


def _is_option(document: Document, number: int, target: FlagTable) -> bool:
    header = document.sections[number]
    meant = header.tail.lstrip()[:1] in ("=", ":") and header.name not in {f.section for f in target.flags}
    return meant and not any(e.section == header.name for e in document.entries)


def _header_option(document: Document, number: int) -> RcEntry:
    header = document.sections[number]
    line = next(n for n, found in enumerate(document.lines) if found.section == number)
    span = Span(document.source, document.text, header.span.start, document.lines[line].end)
    value = header.tail.lstrip()[1:].strip()
    return RcEntry("global", header.name, value, span, header.span, replace(span, start=span.end), line, line)


def place_moves(document: Document, target: FlagTable, placements: Sequence[Placement]) -> tuple[Edit, ...]:
    """The edits for all moves."""
    edits: list[Edit] = []
    new: dict[str, list[tuple[Placement, str]]] = {}
    for placement in placements:
        inside = _in_place(document, target, placement)
        if inside:
            edits += inside
            continue
        edits += _commented(document, placement)
        for name, value in placement.writes:
            flag = target.dotted(name)
            if flag:
                new.setdefault(flag.section, []).append((placement, f"{flag.option} = {value}".rstrip()))
    known = {s.name: n for n, s in reversed(list(enumerate(document.sections)))}
    edits += [_to_section(document, known[section], lines) for section, lines in new.items() if section in known]
    return (*edits, *_new_sections(document, {s: lines for s, lines in new.items() if s not in known}))


def _in_place(document: Document, target: FlagTable, placement: Placement) -> tuple[Edit, ...]:
    """The value and the name changed where they stand, if the section is right and the value has one line."""
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


def _to_section(document: Document, number: int, lines: Sequence[tuple[Placement, str]]) -> Edit:
    at, indent = end_of_section(document, number)
    return add_lines(document, at, [indent + line for _, line in lines])


def _new_sections(document: Document, new: dict[str, list[tuple[Placement, str]]]) -> Iterator[Edit]:
    """Each new section stands behind the one that its first option comes from."""
    for section, lines in new.items():
        number = document.lines[lines[0][0].entry.first_line].section
        at, indent = end_of_section(document, number)
        yield add_lines(document, at, ["", f"{indent}[{section}]", *(indent + line for _, line in lines)])
