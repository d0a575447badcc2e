"""Flags in files of other languages, by the forms that most of them share: `NAME = "..."`, `"NAME": "..."`, `NAME=...`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model import Dialect
from .kinds import FileKind
from .model import UNKNOWN, Builder, Carried, Mapped, Room, unescaped
from .shell import VARIABLE, Other

_SET = re.compile(
    rf"""(?<![\w$]){VARIABLE}['"]?\]?\}}?[ \t]*(?P<operator>==|=>|:=|\+=|=|:|,)[ \t]*
    (?:(?P<triple>\"\"\"|''')(?P<long>.*?)(?P=triple)
    |(?P<quote>["'`])(?P<quoted>(?:\\.|(?!(?P=quote)).)*)(?P=quote)
    |(?P<bare>(?:\$?\{{[^{{}}\s]*\}}|[^\s'"`;&|)\]}}<])+))""",
    re.X | re.S,
)
_ATTRIBUTE = re.compile(rf"name\s*=\s*[\"']{VARIABLE}[\"']\s+value\s*=\s*(?P<quote>[\"'])(?P<quoted>[^\"'<>]*)(?P=quote)")
_INI = re.compile(rf"^[ \t]*{VARIABLE}[ \t]*(?P<operator>=)[ \t]*(?P<bare>[^\r\n]*?)[ \t]*$", re.M)
_UNKNOWN = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+|%\(\w+\)s|\{[\w.\[\]]*\}|#\{[^}]*\}")
_COMMENTS = {
    FileKind.TOML: re.compile(r"(?m)^[ \t]*#.*$"),
    FileKind.INI: re.compile(r"(?m)^[ \t]*[#;].*$"),
    FileKind.XML: re.compile(r"<!--.*?-->", re.S),
}


def read(source: Mapped, other: Other, kind: FileKind) -> Iterator[Carried]:
    """The flags of a file; only texts that have a `=` are taken for flags."""
    text = source.text
    if kind is FileKind.OTHER:
        text = re.sub(r"(?m)(?:^|(?<=[ \t]))(?://|#(?!\{)).*$", _blank, re.sub(r"/\*.*?\*/", _blank, text, flags=re.S))
    elif kind in _COMMENTS:
        text = _COMMENTS[kind].sub(_blank, text)
    patterns = (_ATTRIBUTE,) if kind is FileKind.XML else (_INI, _SET) if kind is FileKind.INI else (_SET,)
    taken = set[int]()
    for pattern in patterns:
        for found in pattern.finditer(text):
            start = found.start("dialect")
            group = next((g for g in ("long", "quoted", "bare") if found.groupdict().get(g) is not None), None)
            operator = found.groupdict().get("operator")
            if start in taken or group is None or "=" not in found[group] or operator == "==":
                continue
            taken.add(start)
            value = unescaped(source.part(found.start(group), found.end(group))) if group == "quoted" else source.part(*found.span(group))
            name = (source.starts[start], source.ends[found.end("dialect") + len("_FLAGS") - 1])
            room = Room.BARE if group == "bare" else Room.QUOTED
            yield Carried(Dialect(found["dialect"].lower()), _known(value), room, name, operator == "+=")


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _known(value: Mapped) -> Mapped:
    made, at = Builder(), 0
    for found in _UNKNOWN.finditer(value.text):
        made.extend(value.part(at, found.start()))
        made.take(value, found.start(), found.end(), UNKNOWN)
        at = found.end()
    made.extend(value.part(at))
    return made.mapped()
