"""Repairs an rc file so that the libraries can read it: only what their parser refuses is changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..findings import Edit
from .decode import from_latin1
from .document import Document, Flaw, FlawKind, LineKind, PhysicalLine, parse_rc
from .edits import add_lines, apply_edits, comment_out, end_of_section, indent_of, insert
from .rcgrammar import DEFAULT_SECTION

_COMMENTED = re.compile(r"(\[[^]]+\])\s*([#;].*)")


def repaired(document: Document) -> Document:
    """The document without flaws; the same object if it has none. A second call changes nothing."""
    steps = (_characters, _headers, _lines, _sections, _options)
    for step in steps:
        edits = tuple(step(document))
        if edits:
            document = parse_rc(apply_edits(document.text, edits), document.source)
    return document


def _of(document: Document, kind: FlawKind) -> tuple[Flaw, ...]:
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


def _characters(document: Document) -> Iterator[Edit]:
    """Removes the byte order mark; bytes that are not UTF-8 are read as Windows-1252 and written as UTF-8."""
    for flaw in _of(document, FlawKind.BOM):
        yield Edit(document.source, flaw.span.start, flaw.span.end, "")
    for flaw in _of(document, FlawKind.NOT_UTF8):
        yield Edit(document.source, flaw.span.start, flaw.span.end, from_latin1(document.text[flaw.span.start : flaw.span.end]))


def _headers(document: Document) -> Iterator[Edit]:
    """Moves a comment that contains brackets from behind a header to its own line: since Python 3.10 it would be part of the section's
    name.
    """
    for section in document.sections:
        match = _COMMENTED.fullmatch(section.span.text[section.span.start : section.span.end] + section.tail)
        if match and "]" in section.name:
            end = section.span.end + len(section.tail)
            yield Edit(document.source, section.span.start, end, f"{match[2]}{document.newline}{match[1]}")


def _lines(document: Document) -> Iterator[Edit]:
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


def _sections(document: Document) -> Iterator[Edit]:
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


def _own(document: Document, section: int) -> list[PhysicalLine]:
    return [document.lines[n] for n in document.lines_of[section]]


def _moved(document: Document, line: PhysicalLine, indent: str) -> Iterator[str]:
    content = document.text[line.start : line.end]
    if line.kind is LineKind.SECTION:
        yield f"{indent}# {content.lstrip()}"
    elif line.kind is LineKind.OPTION:
        yield indent + content.lstrip()
    elif line.kind is LineKind.CONTINUATION:
        yield f"{indent}    {content.lstrip()}"
    else:
        yield content


def _options(document: Document) -> Iterator[Edit]:
    """Keeps the last of repeated options, as Python 2 did; the others become comments."""
    last = {(e.section, e.key): e for e in document.entries}
    for entry in document.entries:
        if last[entry.section, entry.key] is not entry:
            yield from comment_out(document, entry, f"{entry.option} comes again below, and the last one counts")
