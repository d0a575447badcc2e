"""Flags in notebooks: `%env`, `!`, `%%bash`, `%%writefile`, and Python cells. Outputs and text cells are ignored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]

from ...compat.running import notebook
from ..model import Dialect
from . import python
from .docker import embedded_flags
from .file_kinds import FileKind
from .model import Builder, Carried, Mapped, Reading, Room, joined, unescaped
from .shell import MENTIONS, VARIABLE, Other
from .shell import read as read_shell

_CELL = re.compile(r'"cell_type"\s*:\s*"(\w+)"')
_SOURCE = re.compile(r'"(?:source|input)"\s*:\s*(?=["\[])')
_SPACE = re.compile(r"[\s,]*")


def read(source: Mapped, other: Other, *, depth: int = 0) -> Reading:
    """Returns the flags set in the code cells of a notebook."""
    carried, configured = list[Carried](), set[str]()
    for cell in _code_cells(source):
        if MENTIONS.search(cell.text) or "config" in cell.text:
            reading = of_cell(cell, other, depth)
            carried += reading.carried
            configured |= reading.set_in_code
    return Reading(tuple(carried), frozenset(configured))


def _code_cells(source: Mapped) -> Iterator[Mapped]:
    """Yields the source of each code cell; in a cell, `source` may come before or after `cell_type`."""
    text = source.text
    kinds = [(m.start(), m[1]) for m in _CELL.finditer(text)]
    sources = [(m.start(), m.end()) for m in _SOURCE.finditer(text)]
    at = 0
    for n, (start, value) in enumerate(sources):
        while at + 1 < len(kinds) and kinds[at + 1][0] < start:
            at += 1
        first_is_kind = not kinds or kinds[0][0] < sources[0][0]
        kind = kinds[at][1] if first_is_kind and kinds else kinds[n][1] if n < len(kinds) else "code"
        if kind == "code":
            yield _strings(source, value)


def _strings(source: Mapped, at: int) -> Mapped:
    """The text of the JSON string at index `at`, or of the strings in a JSON array there, concatenated."""
    parts, text = list[Mapped](), source.text
    several = text[at] == "["
    at = _SPACE.match(text, at + several).end()  # type: ignore[union-attr]
    while text[at : at + 1] == '"':
        try:
            _, end = scanstring(text, at + 1, False)
        except ValueError:
            break
        parts.append(unescaped(source.part(at + 1, end - 1)))
        at = _SPACE.match(text, end).end()  # type: ignore[union-attr]
        if not several:
            break
    return joined(parts)


def of_cell(cell: Mapped, other: Other, depth: int) -> Reading:
    """Returns the flags set by one code cell, in Python, `!` and `%env` lines, or the body of a `%%` magic."""
    head = re.match(r"\s*%%(\w+)[ \t]*(.*)\n", cell.text)
    if head:
        return Reading(tuple(_of_magic(cell.part(head.end()), head[1], head[2].strip(), other, depth)))
    builder, carried, at = Builder(), list[Carried](), 0
    for line in notebook.special_lines(cell.text):
        builder.extend(cell.part(at, line.start()))
        at = line.end()
        command = notebook.command_start(cell.text, line)
        env = notebook.environment(cell.text, command)
        if env and (flags := re.fullmatch(VARIABLE, env["name"])):
            name = env.start("name") + flags.start("dialect")
            place = (cell.starts[name], cell.ends[env.end("name") - 1])
            carried.append(Carried(Dialect(flags["dialect"].lower()), cell.part(*env.span("value")), Room.QUOTED, place))
        elif cell.text[command] == "!":
            carried += read_shell(cell.part(command + 1, at), other, depth=depth + 1)
    builder.extend(cell.part(at))
    reading = python.read(builder.mapped(), other, depth=depth + 1)
    return Reading((*carried, *reading.carried), reading.set_in_code)


def _of_magic(body: Mapped, name: str, words: str, other: Other, depth: int) -> Iterator[Carried]:
    """Yields the flags values in the body of the magic `%%name words`; none for magics that neither run nor write it."""
    if name in ("bash", "sh", "zsh", "system") or (name == "script" and re.match(r"(?:\S*/)?(?:ba|z|k)?sh\b", words)):
        yield from read_shell(body, other, depth=depth + 1)
    elif name in ("writefile", "file"):
        yield from embedded_flags(body, words.split()[-1] if words.split() else "", other, depth)
    elif name in ("time", "timeit", "capture", "python", "python3", "prun"):
        yield from other(body, FileKind.PYTHON, depth + 1)
