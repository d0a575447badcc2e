"""Edits of an rc file's text that leave all other lines unchanged: they are collected and then applied together."""

from __future__ import annotations

from collections.abc import Iterable

from ..findings import Edit
from .rcfile_text import LineKind, RcDocument, RcEntry

SIGNATURE = "# theanodiag: "
"""Prefix of the comments that say why we changed a line."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """`text` with the edits applied; insertions at the same place keep their order. Raises ValueError where two edits overlap."""
    at, pieces = 0, []
    for _, edit in sorted(enumerate(edits), key=lambda pair: (pair[1].start, pair[1].end, pair[0])):
        if edit.start < at or edit.start > edit.end:
            raise ValueError(f"edits overlap at {edit.start}")
        pieces += [text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join([*pieces, text[at:]])


def insert(document: RcDocument, at: int, text: str) -> Edit:
    """The edit that inserts `text` before character `at`."""
    return Edit(document.source, at, at, text)


def indent_of(document: RcDocument, line: int) -> str:
    """The indentation of a line."""
    content = document.text[document.lines[line].start : document.lines[line].end]
    return content[: len(content) - len(content.lstrip())]


def comment_line(document: RcDocument, line: int, words: str) -> Edit:
    """The edit that puts a comment above a line, with the line's indentation."""
    comment = " ".join(words.splitlines())
    return insert(document, document.lines[line].start, f"{indent_of(document, line)}{SIGNATURE}{comment}{document.newline}")


def option_line(document: RcDocument, indent: str, option: str, value: str) -> str:
    """The line `option = value`; further lines of the value are indented deeper, so that they continue it."""
    return indent + f"{option} = {value}".replace("\n", f"{document.newline}{indent}    ").rstrip()


def comment_out(document: RcDocument, entry: RcEntry, words: str) -> tuple[Edit, ...]:
    """The edits that turn an entry into comments below a line that says why."""
    live = (LineKind.OPTION, LineKind.CONTINUATION)
    lines = [n for n in range(entry.first_line, entry.last_line + 1) if document.lines[n].kind in live]
    hashes = [insert(document, document.lines[n].start + len(indent_of(document, n)), "# ") for n in lines]
    return (comment_line(document, entry.first_line, words), *hashes)


def end_of_section(document: RcDocument, number: int) -> tuple[int, str]:
    """(place, indentation) for a new option at the end of section `number`.

    With that indentation neither the new option nor what follows is a continuation line: options of a section never step to the right, so
    the last option's indentation fits both.
    """
    own = document.lines_of[number]
    options = [n for n in own if document.lines[n].kind is LineKind.OPTION]
    last = max(n for n in own if document.lines[n].kind in (LineKind.SECTION, LineKind.OPTION, LineKind.CONTINUATION))
    after = document.lines_of[number + 1][0] if number + 1 < len(document.sections) else None
    model = options[-1] if options else after
    return document.lines[last].stop, "" if model is None else indent_of(document, model)


def add_lines(document: RcDocument, at: int, lines: Iterable[str]) -> Edit:
    """The edit that inserts whole lines at `at`, a line's beginning or the end of the file; a missing final newline stays missing."""
    text = "".join(line + document.newline for line in lines)
    if at and document.text[at - 1] not in "\r\n":
        text = document.newline + text[: -len(document.newline)]
    return insert(document, at, text)


def add_option(document: RcDocument, section: str, option: str, value: str) -> Edit:
    """The edit that adds an option to its section, or with a new section at the end of the file."""
    number = document.section_numbers.get(section)
    if number is not None:
        at, indent = end_of_section(document, number)
        return add_lines(document, at, [option_line(document, indent, option, value)])
    head = [""] if document.text and document.lines[-1].kind is not LineKind.BLANK else []
    return add_lines(document, len(document.text), [*head, f"[{section}]", option_line(document, "", option, value)])


def set_option(document: RcDocument, section: str, option: str, value: str) -> tuple[Edit, ...]:
    """The edits that set `[section] option` to `value`: in place where the option exists, so that its line keeps its form."""
    entry = document.find(section, option.lower())
    if entry is None:
        return (add_option(document, section, option, value),)
    if entry.first_line != entry.last_line:
        line = option_line(document, indent_of(document, entry.first_line), entry.option, value)
        at = document.lines[entry.last_line].stop
        return (*comment_out(document, entry, f"now {value}"), add_lines(document, at, [line]))
    return (Edit(document.source, entry.value_span.start, entry.value_span.end, value),) if entry.value != value else ()
