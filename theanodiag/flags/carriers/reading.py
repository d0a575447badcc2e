"""Reads the flags that a file sets, whatever kind of file it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model import Dialect
from . import docker, make, notebook, python, shell, windows, yaml
from .file_kinds import CARRIERS, FileKind
from .model import UNKNOWN, Carried, Mapped, Reading, Room, blanked, unescaped
from .shell import MENTIONS, VARIABLE, Other


def read(text: str, kind: FileKind) -> Reading:
    """Returns the flags that a file of this kind sets, by offset; empty for kinds in which theanodiag does not search for flags."""
    if kind not in CARRIERS or not MENTIONS.search(text):
        return Reading()
    source = Mapped.whole(text)
    if kind is FileKind.PYTHON:
        reading = python.read(source, _other)
    elif kind is FileKind.NOTEBOOK:
        reading = notebook.read(source, _other)
    else:
        reading = Reading(tuple(_other(source, kind, 0)))
    by_place = dict[tuple[int, int, bool, str], Carried]()
    for carried in reading.carried:
        if carried.value.text.strip():
            if _NO_NAME_KNOWN.fullmatch(carried.value.text):
                continue
            by_place[carried.value.starts[0], carried.value.ends[-1], carried.is_rc, carried.value.text] = carried
    return Reading(tuple(sorted(by_place.values(), key=lambda c: c.value.starts[0])), reading.set_in_code)


def _other(source: Mapped, kind: FileKind, depth: int) -> Iterator[Carried]:
    """Yields the flags values in a text of any kind, which is nested in `depth` others."""
    if kind is FileKind.PYTHON:
        yield from python.read(source, _other, depth=depth).carried
    elif kind is FileKind.NOTEBOOK:
        yield from notebook.read(source, _other, depth=depth).carried
    elif kind in (FileKind.SHELL, FileKind.CSH, FileKind.FISH):
        yield from shell.read(source, _other, depth=depth)
    elif kind is FileKind.DOCKERFILE:
        yield from docker.read(source, _other, depth=depth)
    elif kind is FileKind.MAKEFILE:
        yield from make.read(source, _other, depth=depth)
    elif kind is FileKind.YAML:
        yield from yaml.read(source, _other, depth=depth)
    elif kind is FileKind.BATCH:
        yield from windows.read_batch(source, _other, depth=depth)
    elif kind is FileKind.POWERSHELL:
        yield from windows.read_powershell(source, _other, depth=depth)
    elif kind in CARRIERS:
        yield from read_other(source, _other, kind)


_NO_NAME_KNOWN = re.compile(rf"[\s,]*{UNKNOWN}\s*=[\s,={UNKNOWN}]*")
"""Flags of which neither a name nor a value is known before the program runs: `",".join("%s=%s" % pair for pair in ...)`."""
_SET = re.compile(
    rf"""(?<![\w$]){VARIABLE}['"]?\]?\}}?[ \t]*(?P<operator>==|=>|:=|\+=|=|:|,)(?:\s*(?:[\w.:]{{1,40}}!?\(\s*)?(?=["'`]))?[ \t]*
    (?:(?P<triple>\"\"\"|''')(?P<long>.*?)(?P=triple)
    |(?P<quote>["'`])(?P<quoted>(?:\\.|(?!(?P=quote)).)*)(?P=quote)
    |(?P<bare>(?:\$?\{{[^{{}}\s]*\}}|\$\w+\([^()\s]*\)|[^\s'"`;&|)\]}}<])+))""",
    re.X | re.S,
)
_ATTRIBUTE = re.compile(rf"name\s*=\s*[\"']{VARIABLE}[\"']\s+value\s*=\s*(?P<quote>[\"'])(?P<quoted>[^\"'<>]*)(?P=quote)")
_INI = re.compile(rf"^[ \t]*{VARIABLE}[ \t]*(?P<operator>=)[ \t]*(?P<bare>[^\r\n]*?)[ \t]*$", re.M)
_UNKNOWN = re.compile(r"\$\{[^}]*\}|\$\w+\([^)]*\)|%[\d.]*[sdif]\b|\$\([^)]*\)|\$\w+|%\(\w+\)s|\{[\w.\[\]]*\}|#\{[^}]*\}")
_COMMENTS = {
    FileKind.TOML: re.compile(r"(?m)^[ \t]*#.*$"),
    FileKind.INI: re.compile(r"(?m)^[ \t]*[#;].*$"),
    FileKind.XML: re.compile(r"<!--.*?-->", re.S),
}


def read_other(source: Mapped, other: Other, kind: FileKind) -> Iterator[Carried]:
    """Yields the flags values in a file whose kind has no reader of its own; values without `=` are skipped."""
    text = source.text
    if kind is FileKind.OTHER:
        text = re.sub(r"(?m)(?:^|(?<=[ \t]))(?://|#(?!\{)).*$", _blank, re.sub(r"/\*.*?\*/", _blank, text, flags=re.S))
    elif kind in _COMMENTS:
        text = _COMMENTS[kind].sub(_blank, text)
    patterns = (_ATTRIBUTE,) if kind is FileKind.XML else (_INI, _SET) if kind is FileKind.INI else (_SET,)
    taken = set[int]()
    for pattern in patterns:
        for match in pattern.finditer(text):
            start = match.start("dialect")
            group = next((g for g in ("long", "quoted", "bare") if match.groupdict().get(g) is not None), None)
            operator = match.groupdict().get("operator")
            if start in taken or group is None or "=" not in match[group] or operator == "==":
                continue
            taken.add(start)
            value = unescaped(source.part(match.start(group), match.end(group))) if group == "quoted" else source.part(*match.span(group))
            name = (source.starts[start], source.ends[match.end("dialect") + len("_FLAGS") - 1])
            room = Room.BARE if group == "bare" else Room.QUOTED
            yield Carried(Dialect(match["dialect"].lower()), blanked(value, _UNKNOWN), room, name, operator == "+=")


def _blank(match: re.Match[str]) -> str:
    """The match with a blank for each character except line ends, so that offsets stay the same."""
    return re.sub(r"[^\n]", " ", match[0])
