"""Flags in Makefiles: variables, exported or for one target, and the commands of recipes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..model import Dialect
from .model import Builder, Carried, Mapped, Room, constants
from .shell import MENTIONS, VARIABLE, Other
from .shell import read as read_shell
from .shell_words import expand

_ASSIGNED = re.compile(
    rf"(?:[^\t=#][^=#]*?:[ ]*)?(?:(?:export|override|define)[ ]+)*{VARIABLE}[ \t]*(?P<operator>::?:?=|\?=|\+=|!=|=)[ \t]*"
)

_OTHER = re.compile(r"(?:export[ ]+)?(?P<name>\w+)[ \t]*(?P<operator>(?:::?:?|\?|\+)?=)[ \t]*")
_LITERAL = re.compile(r"^(?:export[ ]+)?(?P<name>\w+)[ \t]*:?:?=[ \t]*(?P<value>[\w./:@+-]+)[ \t]*$", re.M)
_GIVEN = re.compile(r"^(?:[^\t=#:]*:)?[ ]*(?:(?:export|override|define)[ ]+)*(\w+)[ \t]*(?:::?:?|\?|\+|!)?=", re.M)


def read(source: Mapped, other_kind: Other, *, depth: int = 0) -> Iterator[Carried]:
    """Yields the flags values that a Makefile sets."""
    recipe, known = Builder(), constants(source, _LITERAL, _GIVEN)
    for line in _logical_lines(source):
        if line.text.startswith("\t"):
            skip = re.match(r"\t[ \t@+-]*", line.text)
            recipe.extend(_dollars(line.part(skip.end() if skip else 1), known))
            continue
        match = _ASSIGNED.match(line.text)
        other = _OTHER.match(line.text)
        if match:
            yield _carried(line, match, known)
        elif other and other["operator"] in ("=", ":=", "::=", "?=") and "=" in line.text[other.end() :] and not MENTIONS.search(line.text):
            known[other["name"]] = _unquoted(line.part(other.end()).stripped())
        elif other and MENTIONS.search(line.text):
            yield from read_shell(_dollars(line.part(other.end()), known), other_kind, depth=depth + 1)
        elif re.search(r":[^=]*;", line.text) and MENTIONS.search(line.text):
            yield from read_shell(_dollars(line.part(line.text.index(";") + 1), known), other_kind, depth=depth + 1)
    yield from read_shell(recipe.mapped(), other_kind, depth=depth + 1)


def _logical_lines(source: Mapped) -> Iterator[Mapped]:
    """Yields each line together with its continuation lines; their backslashes are kept."""
    at = 0
    while at < len(source):
        end, start = at, at
        while True:
            end = source.text.find("\n", end) + 1 or len(source)
            if end >= len(source) or not source.text[start:end].rstrip("\r\n").endswith("\\"):
                break
            start = end
        yield source.part(at, end)
        at = end


def _carried(line: Mapped, match: re.Match[str], known: Mapping[str, Mapped]) -> Carried:
    """The value that a match of `_ASSIGNED` sets: up to a comment, continuation lines joined, variables expanded, quotes removed."""
    builder = Builder()
    text, at = line.text, match.end()
    while at < len(text) and text[at] != "#":
        if text[at] == "\\" and text[at + 1 : at + 2] in ("\n", "\r"):
            at += 2
            while text[at : at + 1] in (" ", "\t", "\n"):
                at += 1
            continue
        builder.take(line, at)
        at += 1
    value = _unquoted(expand(_dollars(builder.mapped().stripped(), known), {}))
    start, end = match.start("dialect"), match.end("dialect") + len("_FLAGS")
    name = (line.starts[start], line.ends[end - 1])
    return Carried(Dialect(match["dialect"].lower()), value, Room.QUOTED, name, match["operator"] == "+=")


def _unquoted(value: Mapped) -> Mapped:
    """`value` without enclosing quotes, which the libraries, or the shell of a recipe, remove."""
    quoted = len(value) > 1 and value.text[0] in "'\"" and value.text[-1] == value.text[0]
    return value.part(1, -1) if quoted else value


def _dollars(text: Mapped, known: Mapping[str, Mapped]) -> Mapped:
    """`text` as make passes it to the shell: `$$` becomes `$`, and a known variable of the Makefile its value."""
    builder, at = Builder(), 0
    for match in re.finditer(r"\$(?:\$|\((?P<a>\w+)\)|\{(?P<b>\w+)\})", text.text):
        value = known.get(match["a"] or match["b"] or "")
        if value is None and match[0] != "$$":
            continue
        builder.extend(text.part(at, match.start()))
        if value is None:
            builder.take(text, match.start(), match.end(), "$")
        else:
            builder.put(text, match.start(), match.end(), value)
        at = match.end()
    builder.extend(text.part(at))
    return builder.mapped()
