"""Flags in scripts of Windows: `set` and `setx` of batch files, `$env:` of PowerShell, and rc files that they write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model import Dialect
from .kinds import RC_NAME, rc_dialect
from .model import UNKNOWN, Builder, Carried, Mapped, Room, blanked, joined
from .shell import VARIABLE, Other

_SET = re.compile(rf"\bset[ \t]+(?P<quote>\"?){VARIABLE}[ \t]*=(?P<value>[^\r\n]*)", re.I)
_SETX = re.compile(rf"\bsetx[ \t]+(?:/m[ \t]+)?\"?{VARIABLE}\"?[ \t]+(?P<value>\"[^\"\r\n]*\"|\S+)", re.I)
_REMARK = re.compile(r"^[ \t]*@?(?:rem\b|::)", re.I)
_PERCENT = re.compile(r"%[^%\s=]+%|%[~\w]|![A-Za-z_]\w*!")
_ECHO = re.compile(r"[ \t(@]*echo[ .](?P<text>.*?)(?:(?P<operator>>{1,2})[ \t]*(?P<target>\"[^\"]*\"|[^\s)]+).*)?$", re.I)
_FIRST = re.compile(r"^[ \t(@]*(?P<operator>>{1,2})[ \t]*(?P<target>\"[^\"]*\"|\S+)[ \t]+\(?echo[ .](?P<text>.*)$", re.I)
_CLOSED = re.compile(r"^[ \t]*\)[ \t]*>{1,2}[ \t]*(?P<target>\"[^\"]*\"|\S+)")
_ENV = re.compile(
    rf"(?:\$\{{?env:{VARIABLE}\}}?[ \t]*(?P<plus>\+)?=|Env:\\?{VARIABLE.replace('dialect', 'other')}['\"]?[ \t]+(?:-Value[ \t]+)?)[ \t]*",
    re.I,
)
_CALL = re.compile(rf"SetEnvironmentVariable\([ \t]*['\"]{VARIABLE}['\"][ \t]*,[ \t]*", re.I)
_SETX_PS = re.compile(rf"\bsetx(?:\.exe)?[ \t]+{VARIABLE}[ \t]+", re.I)
_HERE = re.compile(r"@(?P<quote>['\"])[ \t]*\r?\n")
_RC_PATH = re.compile(r"[\w.~:$\\/{}-]*(?:theano|aesara|pytensor)rc[\w.]*", re.I)
_VALUE = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|\$[\w:]+")


def read_batch(source: Mapped, other: Other, *, depth: int = 0) -> Iterator[Carried]:
    """The flags of a batch file."""
    files: dict[str, list[Mapped]] = {}
    for line in re.finditer(r"[^\n]*\n?", source.text):
        if _REMARK.match(line[0]):
            continue
        at = 0
        while found := _SET.search(line[0], at):
            carried = _of_batch(source, line.start(), found)
            at = found.start("value") + len(carried.value)
            yield carried
        yield from (_of_batch(source, line.start(), found) for found in _SETX.finditer(line[0]))
        _echo(source.part(line.start(), line.end()), files)
    for path, texts in files.items():
        if RC_NAME.match(path.replace("\\", "/").rpartition("/")[2]):
            yield Carried(rc_dialect(path), joined(texts, "\n"), Room.QUOTED, None, target=path)


def _of_batch(source: Mapped, offset: int, found: re.Match[str]) -> Carried:
    start, end = offset + found.start("value"), offset + found.end("value")
    text = found["value"]
    if found.groupdict().get("quote"):
        end = start + text.index('"') if '"' in text else end
    elif text[:1] == '"' == text.rstrip()[-1:]:
        start, end = start + 1, start + len(text.rstrip()) - 1
    elif found.re is _SET:
        in_brackets = found.string.count("(", 0, found.start()) > found.string.count(")", 0, found.start())
        end = start + len(re.split(r"[&)]" if in_brackets else "&", text)[0].rstrip())
    name = offset + found.start("dialect")
    value = blanked(source.part(start, end), _PERCENT)
    dialect = Dialect(found["dialect"].lower())
    return Carried(dialect, value, Room.BARE, (source.starts[name], source.ends[name + len(found["dialect"]) + len("_FLAGS") - 1]))


def _echo(line: Mapped, files: dict[str, list[Mapped]]) -> None:
    """Remembers what an `echo` writes to a file."""
    body = line.text.rstrip("\r\n")
    closed = _CLOSED.match(body)
    if closed:
        files.setdefault(closed["target"].strip('"'), []).extend(files.pop("(", []))
        return
    if body.strip().startswith("("):
        files["("] = []
    found = _FIRST.match(body) or _ECHO.match(body)
    if found is None:
        return
    text = blanked(line.part(found.start("text"), found.end("text")).stripped(), _PERCENT)
    if found["target"] is None:
        if "(" in files:
            files["("].append(text)
        return
    path = found["target"].strip('"')
    if found["operator"] == ">":
        files[path] = []
    files.setdefault(path, []).append(text)


def read_powershell(source: Mapped, other: Other, *, depth: int = 0) -> Iterator[Carried]:
    """The flags of a PowerShell script."""
    text = _comments_blanked(source.text)
    for pattern in (_ENV, _CALL, _SETX_PS):
        for found in pattern.finditer(text):
            group = "dialect" if found["dialect"] else "other"
            value = _expression(source, text, found.end())
            name = (source.starts[found.start(group)], source.ends[found.end(group) + len("_FLAGS") - 1])
            yield Carried(Dialect(found[group].lower()), value, Room.QUOTED, name, bool(found.groupdict().get("plus")))
    for opening in _HERE.finditer(text):
        close = text.find(f"\n{opening['quote']}@", opening.end() - 1)
        if close < 0:
            return
        line_end = text.find("\n", close + 1)
        target = _RC_PATH.search(text[close : line_end if line_end > 0 else len(text)])
        if target:
            made = source.part(opening.end(), close - (text[close - 1] == "\r"))
            made = made if opening["quote"] == "'" else blanked(made, _VALUE)
            yield Carried(rc_dialect(target[0]), made, Room.LINES, None, target=target[0])


def _comments_blanked(text: str) -> str:
    """The text with comments as blanks."""
    text = re.sub(r"<#.*?#>", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    return re.sub(r"(?m)^([ \t]*)#.*$|(?<=[\s;])#.*$", lambda m: " " * len(m[0]), text)


def _expression(source: Mapped, text: str, at: int) -> Mapped:
    """Strings with `+` between them; anything else is unknown."""
    made = Builder()
    while at < len(text):
        found = re.compile(
            r"[ \t]*(?:(?P<quote>['\"])(?P<text>(?:`.|(?!(?P=quote)).)*)(?P=quote)|(?P<name>\$\{?[\w:]+\}?|[\w.,=:/\\-]+))", re.S
        ).match(text, at)
        if found is None:
            break
        if found["name"]:
            plain = not found["name"].startswith("$")
            piece = source.part(found.start("name"), found.end("name"))
            if plain:
                made.extend(piece)
            else:
                made.take(source, found.start("name"), found.end("name"), UNKNOWN)
        else:
            piece = source.part(found.start("text"), found.end("text"))
            made.extend(piece if found["quote"] == "'" else blanked(piece, _VALUE))
        plus = re.compile(r"[ \t]*\+[ \t]*(?:`?\r?\n[ \t]*)?").match(text, found.end())
        if plus is None:
            break
        at = plus.end()
    return made.mapped()
