"""Flags in scripts of Windows: `set` and `setx` of batch files, `$env:` of PowerShell, and rc files that they write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..model import Dialect
from .file_kinds import RC_NAME, rc_dialect
from .model import AssignedOnce, Builder, Carried, Mapped, Room, blanked, constants, joined
from .shell import VARIABLE, Other

_SET = re.compile(rf"\bset[ \t]+(?P<quote>\"?){VARIABLE}[ \t]*=(?P<value>[^\r\n]*)", re.I)
_SETX = re.compile(rf"\bsetx[ \t]+(?:/m[ \t]+)?\"?{VARIABLE}\"?[ \t]+(?P<value>\"[^\"\r\n]*\"|\S+)", re.I)
_REMARK = re.compile(r"^[ \t]*@?(?:rem\b|::)", re.I)
_SHOWN = re.compile(r"[ \t(@]*echo[ .][^&|\n]*$", re.I)
"""The beginning of a line that prints the rest."""
_PERCENT = re.compile(r"%\w+:[^%\r\n]*%|%[^%\s=]+%|%[~\w]|![A-Za-z_]\w*!")
_LITERAL = re.compile(
    r"^[ \t]*@?set[ \t]+(?P<quote>\"?)(?P<name>\w+)=(?P<value>[^\r\n\"%!&|<>^]*[^\s\"%!&|<>^])(?P=quote)[ \t]*\r?$", re.I | re.M
)
_GIVEN = re.compile(r"\bset[ \t]*/a\b([^\n&|]*)|\bsetx?(?:[ \t]+|(?=[/\"]))(?:/\w[ \t]*)*\"?(\w+)", re.I)
_JUMPS = re.compile(r"\b(?:call|endlocal|goto(?![ \t]*:?eof\b))\b", re.I)
"""What may set any variable, or pass over an assignment."""
_NO_CODE = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|^[ \t]*::.*|\b(?:echo|rem)\b.*", re.I)
"""Parts of a line in which brackets do not count."""
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
_LITERAL_PS = re.compile(r"^[ \t]*\$(?P<name>\w+)[ \t]*=[ \t]*(?P<quote>['\"])(?P<value>[^'\"$`\r\n]+)(?P=quote)[ \t]*\r?$", re.M)
_GIVEN_PS = re.compile(
    r"((?:\$\w{1,80}[ \t]*,[ \t]*){0,8}\$\{?(?:\w+:)?\w+\}?)[ \t]*(?:(?:[-+*/%]|\?\?)?=(?!=)|\+\+|--)|\$(\w+)[ \t]+in\b|"
    r"\[\w+\][ \t]*\$(\w+)|\b(?:param|function[ \t]+[\w-]{1,80})[ \t]*\(([^)]{0,2000})",
    re.I,
)
_INCLUDES_PS = re.compile(r"(?:^|[;{}(|&])[ \t]*\.[ \t]+\S|\b(?:iex|Invoke-Expression|(?:Set|New|Remove)-Variable)\b", re.I | re.M)
"""What may set any variable: a script that is read in, and a text that is run."""


def read_batch(source: Mapped, other: Other, *, depth: int = 0) -> Iterator[Carried]:
    """Yields the flags values that a batch file sets."""
    files: dict[str, list[Mapped]] = {}
    inside = _inside(source.text, "(", ")")
    known = {} if _JUMPS.search(source.text) else constants(source, _LITERAL, _GIVEN, inside, lower=True)
    for line in re.finditer(r"[^\n]*\n?", source.text):
        if _REMARK.match(line[0]):
            continue
        at = 0
        while (match := _SET.search(line[0], at)) and not _SHOWN.match(line[0][: match.start()]):
            carried = _of_batch(source, line.start(), match, known)
            at = match.start("value")
            yield carried
        yield from (_of_batch(source, line.start(), match, known) for match in _SETX.finditer(line[0]))
        _echo(source.part(line.start(), line.end()), files)
    for path, texts in files.items():
        if RC_NAME.match(path.replace("\\", "/").rpartition("/")[2]):
            yield Carried(rc_dialect(path), joined(texts, "\n"), Room.QUOTED, None, target=path)


def _inside(text: str, opening: str, closing: str) -> set[int]:
    """Offsets of the lines that are in brackets, or continue a line. Brackets in quotes and in printed text do not count; where a quote is
    open, closing ones do not: rather too many lines than too few.
    """
    inside, at, depth, continued = set[int](), 0, 0, False
    for line in re.findall(r"[^\n]*\n?", text):
        if depth or continued:
            inside.add(at)
        code = _NO_CODE.sub("", line).strip()
        first = code[:1] != "" and code[:1] in closing
        closed = sum(map(code.count, closing)) - first if "'" not in code and '"' not in code else 0
        depth = max(0, max(0, depth - first) + sum(map(code.count, opening)) - closed)
        continued = line.rstrip().endswith(("^", "`"))
        at += len(line)
    return inside


def _here_strings(text: str) -> set[int]:
    """Offsets of the lines in here-strings of PowerShell."""
    lines, opening = set[int](), _HERE.search(text)
    while opening:
        close = text.find(f"\n{opening['quote']}@", opening.end() - 1)
        end = close if close >= 0 else len(text)
        lines.update(match.end() for match in re.compile(r"\n").finditer(text, opening.end() - 1, end))
        opening = _HERE.search(text, end + 1) if close >= 0 else None
    return lines


def _of_batch(source: Mapped, offset: int, match: re.Match[str], known: Mapping[str, AssignedOnce]) -> Carried:
    """The value of a match of `_SET` or `_SETX`, without quotes and commands after it; `offset` is where the match's line starts."""
    start, end = offset + match.start("value"), offset + match.end("value")
    text = match["value"]
    if match.groupdict().get("quote"):
        end = start + text.index('"') if '"' in text else end
    elif text[:1] == '"' == text.rstrip()[-1:]:
        start, end = start + 1, start + len(text.rstrip()) - 1
    elif match.re is _SET:
        in_brackets = match.string.count("(", 0, match.start()) > match.string.count(")", 0, match.start())
        end = start + len(re.split(r"[&)]" if in_brackets else "&", text)[0].rstrip())
    name = offset + match.start("dialect")
    value = blanked(source.part(start, end), _PERCENT, known)
    dialect = Dialect(match["dialect"].lower())
    return Carried(dialect, value, Room.BARE, (source.starts[name], source.ends[name + len(match["dialect"]) + len("_FLAGS") - 1]))


def _echo(line: Mapped, files: dict[str, list[Mapped]]) -> None:
    """Adds the text that an `echo` line writes to `files` (path -> texts). `files["("]` holds the texts of an open group in parentheses."""
    body = line.text.rstrip("\r\n")
    closed = _CLOSED.match(body)
    if closed:
        files.setdefault(closed["target"].strip('"'), []).extend(files.pop("(", []))
        return
    if body.strip().startswith("("):
        files["("] = []
    match = _FIRST.match(body) or _ECHO.match(body)
    if match is None:
        return
    text = blanked(line.part(match.start("text"), match.end("text")).stripped(), _PERCENT)
    if match["target"] is None:
        if "(" in files:
            files["("].append(text)
        return
    path = match["target"].strip('"')
    if match["operator"] == ">":
        files[path] = []
    files.setdefault(path, []).append(text)


def read_powershell(source: Mapped, other: Other, *, depth: int = 0) -> Iterator[Carried]:
    """Yields the flags values that a PowerShell script sets."""
    text = _comments_blanked(source.text)
    inside, plain = _inside(text, "({", ")}") | _here_strings(text), Mapped(text, source.starts, source.ends)
    known = {} if _INCLUDES_PS.search(text) else constants(plain, _LITERAL_PS, _GIVEN_PS, inside, lower=True)
    for pattern in (_ENV, _CALL, _SETX_PS):
        for match in pattern.finditer(text):
            group = "dialect" if match["dialect"] else "other"
            value = _expression(source, text, match.end(), known)
            name = (source.starts[match.start(group)], source.ends[match.end(group) + len("_FLAGS") - 1])
            yield Carried(Dialect(match[group].lower()), value, Room.QUOTED, name, bool(match.groupdict().get("plus")))
    for opening in _HERE.finditer(text):
        close = text.find(f"\n{opening['quote']}@", opening.end() - 1)
        if close < 0:
            return
        line_end = text.find("\n", close + 1)
        target = _RC_PATH.search(text[close : line_end if line_end > 0 else len(text)])
        if target:
            content = source.part(opening.end(), close - (text[close - 1] == "\r"))
            content = content if opening["quote"] == "'" else blanked(content, _VALUE)
            yield Carried(rc_dialect(target[0]), content, Room.LINES, None, target=target[0])


def _comments_blanked(text: str) -> str:
    """The text with each comment replaced by as many blanks, so that offsets stay the same."""
    text = re.sub(r"<#.*?#>", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    return re.sub(r"(?m)^([ \t]*)#.*$|(?<=[\s;])#.*$", lambda m: " " * len(m[0]), text)


def _expression(source: Mapped, text: str, at: int, known: Mapping[str, AssignedOnce]) -> Mapped:
    """The value of the PowerShell expression at index `at`: strings and words joined by `+`, with `UNKNOWN` for each variable."""
    builder = Builder()
    while at < len(text):
        match = re.compile(
            r"[ \t]*(?:(?P<quote>['\"])(?P<text>(?:`.|(?!(?P=quote)).)*)(?P=quote)|(?P<name>\$\{?[\w:]+\}?|[\w.,=:/\\-]+))", re.S
        ).match(text, at)
        if match is None:
            break
        if match["name"]:
            plain = not match["name"].startswith("$")
            piece = source.part(match.start("name"), match.end("name"))
            if plain:
                builder.extend(piece)
            else:
                constant = known.get(match["name"].strip("${}").lower())
                place = source.starts[match.start("name")]
                builder.put(source, match.start("name"), match.end("name"), constant.at(place) if constant else None)
        else:
            piece = source.part(match.start("text"), match.end("text"))
            builder.extend(piece if match["quote"] == "'" else blanked(piece, _VALUE, known))
        plus = re.compile(r"[ \t]*\+[ \t]*(?:`?\r?\n[ \t]*)?").match(text, match.end())
        if plus is None:
            break
        at = plus.end()
    return builder.mapped()
