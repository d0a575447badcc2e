"""Flags in YAML: variables of compose files and CI, and the commands of their steps.

Read line by line without a YAML parser, because only scalars and their offsets matter. Anchors and tags are not resolved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model import Dialect
from .model import Builder, Carried, Mapped, Room, blanked, joined, json_strings, unescaped
from .shell import MENTIONS, Other
from .shell import read as read_shell
from .shell_words import expand
from .windows import read_powershell

_LINE = re.compile(
    r"(?P<indent>[ ]*)(?P<dashes>(?:-[ ]+)*)(?:(?P<key>[\w.$@/-]+|\"[^\"\n]*\"|'[^'\n]*')[ ]*:(?=\s|$)[ ]*)?(?P<value>[^\r\n]*)"
)
_NAME = re.compile(r"[\"']?(THEANO|AESARA|PYTENSOR)_FLAGS[\"']?")
_BLOCK = re.compile(r"(?:![\w!]+[ ]+)?(?P<style>[|>])[-+\d]*[ ]*(?:#.*)?$")
_FLOW = re.compile(r"(?<![\w\"'])[\"']?(?P<name>(?P<dialect>THEANO|AESARA|PYTENSOR)_FLAGS)[\"']?[ ]*(?:,[ ]*[\"']?value[\"']?[ ]*)?:[ ]+")
"""`{THEANO_FLAGS: ...}`, and `{name: THEANO_FLAGS, value: ...}`."""


def read(source: Mapped, other: Other, *, depth: int = 0) -> Iterator[Carried]:
    """Yields the flags values that a YAML file sets."""
    at, named = 0, None
    while at < len(source):
        end = source.text.find("\n", at) + 1 or len(source)
        line = source.text[at:end]
        match = _LINE.match(line)
        if match is None or line.lstrip().startswith("#"):
            at = end
            continue
        begin = at
        value, at = _scalar(source, begin, end, match)
        key = match["key"] or ""
        name = _NAME.fullmatch(key)
        if name and value.text:
            yield _carried(source, begin + match.start("key"), key, value)
        elif named is not None and key == "value":
            yield Carried(named[0], _expanded(value), Room.QUOTED, named[1])
        elif MENTIONS.search(value.text):
            yield from _other(value, other, depth)
        if key == "name":
            named = _named(value) if _NAME.fullmatch(value.text) else None
        elif key == "value" or match["dashes"]:
            named = None


def _scalar(source: Mapped, at: int, end: int, match: re.Match[str]) -> tuple[Mapped, int]:
    """(the value that starts on a line, with its continuation lines; offset of the next line). `at` and `end` are the line's offsets."""
    start = at + match.start("value")
    text = match["value"]
    if _BLOCK.match(text):
        return _block(source, end, len(match["indent"]) + len(match["dashes"]), folded=text.lstrip("! ").startswith(">"))
    if text[:1] in ("'", '"'):
        close = _quote_end(source.text, start)
        behind = source.text[close + 1 : source.text.find("\n", close) if source.text.find("\n", close) >= 0 else None].strip()
        if close > 0 and (not behind or behind.startswith("#")):
            inside = source.part(start + 1, close)
            value = unescaped(inside) if text[0] == '"' else _single(inside)
            return value, source.text.find("\n", close) + 1 or len(source)
    comment = re.search(r"(?:^|\s)#", text)
    value = source.part(start, start + (comment.start() if comment else len(text))).stripped()
    return _continued(source, value, end, len(match["indent"]) + (0 if match["key"] or not match["dashes"] else 1))


def _continued(source: Mapped, value: Mapped, at: int, indent: int) -> tuple[Mapped, int]:
    """(the plain scalar with its continuation lines joined by blanks, offset of the next line). Continuation lines are indented by more
    than `indent` blanks and are neither a key nor a list item.
    """
    parts = [value]
    while value.text and at < len(source):
        end = source.text.find("\n", at) + 1 or len(source)
        line = source.text[at:end]
        body = line.strip()
        deeper = len(line) - len(line.lstrip(" ")) > indent
        if not body or not deeper or body.startswith(("- ", "#")) or re.match(r"[\w.\"'-]+[ ]*:(\s|$)", body):
            break
        parts.append(source.part(at, end).stripped())
        at = end
    return joined(parts, " "), at


def _block(source: Mapped, at: int, indent: int, *, folded: bool) -> tuple[Mapped, int]:
    """(text of a block scalar without its indentation, offset of the next line). `folded` (`>`): line ends become blanks."""
    builder, own = Builder(), None
    while at < len(source):
        end = source.text.find("\n", at) + 1 or len(source)
        line = source.text[at:end]
        blanks = len(line) - len(line.lstrip(" "))
        if line.strip():
            own = own or blanks
            if blanks < own or blanks < indent or (blanks == 0 and own == 0):
                break
        cut = min(own or 0, blanks)
        for n in range(at + cut, end):
            builder.take(source, n, char=" " if folded and source.text[n] == "\n" else None)
        at = end
    return builder.mapped(), at


def _quote_end(text: str, start: int) -> int:
    """Index of the quote that closes the one at index `start`; -1 if none does."""
    quote, at = text[start], start + 1
    while at < len(text):
        if (quote == '"' and text[at] == "\\") or (text[at] == quote and quote == "'" and text[at + 1 : at + 2] == "'"):
            at += 2
        elif text[at] == quote:
            return at
        else:
            at += 1
    return -1


def _single(text: Mapped) -> Mapped:
    """The content of a single-quoted scalar, in which `''` is a quote."""
    builder, at = Builder(), 0
    while at < len(text):
        width = 2 if text.text.startswith("''", at) else 1
        builder.take(text, at, at + width, text.text[at])
        at += width
    return builder.mapped()


_TEMPLATE = re.compile(r"\$?\{\{[^{}\n]*\}\}")
"""What GitHub, Ansible and Helm replace by a value: `${{ matrix.x }}`, `{{ gpu }}`."""


def _expanded(value: Mapped) -> Mapped:
    return expand(blanked(value.stripped(), _TEMPLATE), {})


def _carried(source: Mapped, place: int, key: str, value: Mapped) -> Carried:
    name = key.strip("\"'")
    start = place + (key[0] in "\"'")
    place_of_name = (source.starts[start], source.ends[start + len(name) - 1])
    return Carried(Dialect(name[:-6].lower()), _expanded(value), Room.QUOTED, place_of_name)


def _named(value: Mapped) -> tuple[Dialect, tuple[int, int]]:
    """(library, file offsets of the name) for the value of `- name: THEANO_FLAGS`; the flags are in another line."""
    return Dialect(value.text[:-6].lower()), (value.starts[0], value.ends[-1])


def _other(value: Mapped, other: Other, depth: int) -> Iterator[Carried]:
    """Yields the flags values in a scalar: a mapping in braces, a list of strings, or a command of a shell or PowerShell."""
    match = _FLOW.search(value.text) if value.text.lstrip().startswith("{") else None
    if value.text.startswith("["):
        for item in json_strings(value):
            yield from read_shell(item, other, depth=depth + 1)
    elif match is None and "$env:" in value.text.lower():
        yield from read_powershell(value, other, depth=depth + 1)
    elif match is None:
        yield from read_shell(value, other, depth=depth + 1)
    if match is None:
        return
    rest = value.part(match.end())
    if rest.text[:1] in ("'", '"'):
        close = _quote_end(rest.text, 0)
        inside = rest.part(1, close if close > 0 else None)
        text = unescaped(inside) if rest.text[0] == '"' else _single(inside)
    else:
        text = rest.part(0, re.match(r"[^,}\n]*", rest.text).end()).stripped()  # type: ignore[union-attr]
    name = (value.starts[match.start("name")], value.ends[match.end("name") - 1])
    yield Carried(Dialect(match["dialect"].lower()), _expanded(text), Room.QUOTED, name)
