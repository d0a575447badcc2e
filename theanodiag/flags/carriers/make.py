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
_RECURSIVE = re.compile(r"^(?:export[ ]+)?(\w+)[ \t]*=", re.M)
"""An assignment that holds in the whole file where a value is expanded when it is used."""
_LITERAL = re.compile(r"^(?:export[ ]+)?(?P<name>\w+)[ \t]*(?::?:?|\?)=[ \t]*(?P<value>[\w./:@+-]+)[ \t]*$", re.M)
_GIVEN = re.compile(
    r"^(?:[^\t\n=#:]*:)?[ ]*(?:(?:export|override|private|define)[ ]+)*(\w+)[ \t]*(?:::?:?|\?|\+|!)?=|"
    r"^[ ]*(?:(?:override|export)[ ]+)*(?:define|undefine)[ ]+(\w+)[ \t]*$",
    re.M,
)
_INCLUDES = re.compile(r"^[ ]*(?:-include|s?include)\b|\$[({]eval\b", re.M)
"""What may set any variable: a Makefile that is read in, and a text that is read as one."""
_BLOCK = re.compile(r"[ ]*(?:(?P<begins>ifn?(?:def|eq)|(?:(?:override|export)[ ]+)*define)|endif|endef)\b")


def read(source: Mapped, other_kind: Other, *, depth: int = 0) -> Iterator[Carried]:
    """Yields the flags values that a Makefile sets."""
    once = {} if _INCLUDES.search(source.text) else constants(source, _LITERAL, _GIVEN, _inside(source.text))
    late = {match[1] for match in _RECURSIVE.finditer(source.text)}
    recipe, given = Builder(), set[str]()
    known = {name: constant.value for name, constant in once.items() if name in late}
    early = dict[str, Mapped]()
    for line in _logical_lines(source):
        if line.text.startswith("\t"):
            skip = re.match(r"\t[ \t@+-]*", line.text)
            recipe.extend(_dollars(line.part(skip.end() if skip else 1), known))
            continue
        match = _ASSIGNED.match(line.text)
        other = _OTHER.match(line.text)
        if match:
            yield _carried(line, match, early if match["operator"] in (":=", "::=", ":::=", "!=") else known)
        elif other and not MENTIONS.search(line.text):
            name, operator = other["name"], other["operator"]
            if operator != "?=" or name not in given:
                value = once[name].value if name in once else _unquoted(line.part(other.end()).stripped())
                for values in (known, early):
                    values.pop(name, None)
                    values.update({name: value} if name in once or ("=" in value.text and operator != "+=") else {})
            given.add(name)
        elif other:
            yield from read_shell(_dollars(line.part(other.end()), known), other_kind, depth=depth + 1)
        elif re.search(r":[^=]*;", line.text) and MENTIONS.search(line.text):
            yield from read_shell(_dollars(line.part(line.text.index(";") + 1), known), other_kind, depth=depth + 1)
    yield from read_shell(recipe.mapped(), other_kind, depth=depth + 1)


def _inside(text: str) -> set[int]:
    """Offsets of the lines in conditions and definitions, and of those that continue a line."""
    inside, at, depth, continued = set[int](), 0, 0, False
    for line in re.findall(r"[^\n]*\n?", text):
        block = _BLOCK.match(line)
        if block:
            depth = max(0, depth + (1 if block["begins"] else -1))
        if depth or continued:
            inside.add(at)
        continued = line.rstrip().endswith("\\")
        at += len(line)
    return inside


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
