"""Cleans pasted text of what a web page, terminal, log or comment added to a line, and joins lines that a terminal broke.

Branch marks keep their columns. Broken lines are recognised by having the greatest length of all lines.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import NamedTuple

from .model import LineRole
from .nodes import ID, closes_more, open_brackets

MARKS = " |│┃├└┣┗┝┕─━←→>"
"""Characters that may precede a label."""
_BRANCHES = "├└┣┗┝┕"


class Marks(NamedTuple):
    """What the tree marks in front of a label mean."""

    at: int
    """Column of the mark that the label hangs on; -1 where there is none."""
    kind: LineRole
    """The role of the marked line."""
    single: bool = False
    """Whether there is exactly one mark."""


def marks_of(prefix: str) -> Marks:
    """Interprets the tree marks in front of a printed node, such as ` | |`. Returns the column of the mark from which the node hangs, its
    role, and whether it is the only mark.

    `prefix` has only characters of `MARKS`.
    """
    if prefix[-3:] in ("├─ ", "└─ ") and ">" not in prefix:
        return Marks(len(prefix) - 3, LineRole.CHILD, " " not in prefix[:-3].lstrip())
    marks = prefix.rstrip()
    if not marks or ">>" in marks:  # `>>` marks no inner graph: it is a prompt, or printed by a profile of rewrites
        return Marks(-1, LineRole.ROOT)
    last = marks[-1]
    at = len(marks) - 1
    if last in "─━":
        at = len(marks.rstrip("─━")) - 1
        at = at if at >= 0 and marks[at] in _BRANCHES else max(map(marks.rfind, _BRANCHES))
    kind = LineRole.INNER if last in ">←" else LineRole.INPUT if last == "→" else LineRole.CHILD
    return Marks(at, kind, " " not in marks.lstrip())


_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LOG = re.compile(
    r"(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?\]?|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?)(?: ?[-|:])?(?: |$)"
    r"(?:\[?(?:TRACE|DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL)\]?(?: ?[-:|])?(?: |$)(?:[\w.]+: )?)?"
)
_LEVEL = re.compile(
    r"(?:\[ ?(?:TRACE|DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL) ?\](?::[\w.]+)?(?: ?[-:|])?(?: |$)"
    r"|\[?(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL)\]?(?::(?:[\w.]+:)? ?| [-|] ))"
)
_PROMPT = re.compile(r">>> |In \[\d+\]: |Out\[\d+\]: ?|\$ |% |\(\w+\) ?\$ ")
_COMMENT = re.compile(r"(?:#+|//+|\*|;+)(?: |$|(?=[|\w\[<]))")
_INDENTED_COMMENT = re.compile(r"^ +(?:#+|//+) (?=[ |\w\[<├└│])")
"""A comment in source code where the whole block is indented like the code around it."""
_NUMBERED = re.compile(r"[ \t]{0,16}\d+[:|)]\s(?=[ |\w\[<│├└>←+#])")
_QUOTED = re.compile(r"(?:> ?)+(?=[\w<\[(|│┃├└┣┗┝┕#+/]|[ ]+[|>│┃├└┣┗┝┕←→])")
_ADDED = re.compile(r"\++(?=[\w<\[(|│┃├└┣┗┝┕]|[ ]+[|>│┃├└┣┗┝┕←→])")
"""Matches `+` at the start of a line of a diff."""
_TAG = re.compile(r"</?(?:pre|code|br|p|div|span|tt|samp|font|blockquote)(?: [^<>]*)?/?>")
_STRING = re.compile(r"""\s*[rubf]{0,2}(["'])(?P<body>.*?)(?:\\n)?\1\s*[,)+\]]*$""")
_STRING_HEAD = re.compile(r"""\s*[rubf]{0,2}["'][^"']""")
_TRIPLE = re.compile(r"""[^\[]*?(?:\"{3}|'{3})\\?(?=.{0,400}\[(?:id |@))""")
_ESCAPE = re.compile(r"\\u(25[0-9a-fA-F]{2}|219[0-9a-fA-F]|00b7|00B7|2190)")
_LAYERS = 3
"""Deepest nesting of quotations that is removed."""
_FIRST = frozenset("[0123456789>IO$%(#/*;DWEC+")
# UTF-8 that was read as Windows-1252: what a web page without a charset makes of the branch marks.
_MOJIBAKE = (
    ("â”œâ”€", "├─"), ("â””â”€", "└─"), ("â”‚", "│"), ("Â·", "·"), ("â†\x90", "←"), ("â†\ufffd", "←"), ("â†’", "→"), ("Â\xa0", " "),
)  # fmt: skip
_ODD_SPACES = dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_NOTHING: dict[int, str | None] = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u00ad"), None)
_TABLE: dict[int, str | None] = {**_ODD_SPACES, **_NOTHING, ord("\r"): None, ord("\x0b"): " ", ord("\x0c"): " "}


def clean(line: str) -> str:
    """Removes line end, escape sequences, prompts, time stamps and comment signs from a line; tabs and unusual spaces become spaces."""
    if not line.isascii():
        line = repair(line)
    if "\x1b" in line:
        line = _ANSI.sub("", line)
    if "&" in line:
        line = _unescaped(line)
    if "<" in line:
        line = _TAG.sub("", line)
    if "\t" in line:
        line = line.expandtabs(8)
    line = line.rstrip()
    if '"' in line or "'" in line:
        line = _unquote(line)
    if "#" in line or "//" in line:
        line = _INDENTED_COMMENT.sub("", line)
    if line and (line[0] in _FIRST or (line[0] == " " and line[:17].lstrip()[:1].isdigit())):
        return _strip_lead(line)
    return line


def _unescaped(line: str) -> str:
    """`line` with HTML character references resolved, also nested ones."""
    for _ in range(_LAYERS):
        before, line = line, html.unescape(line)
        if line == before:
            break
    return line.replace("\xa0", " ")


def repair(line: str) -> str:
    """Converts unusual spaces and mis-decoded branch marks in a line to their usual form."""
    if "â" in line or "Â" in line:
        for wrong, right in _MOJIBAKE:
            line = line.replace(wrong, right)
    return line.translate(_TABLE)


def _unquote(line: str) -> str:
    """The text inside a string literal of source code or of a notebook: `"Dot [id A] ''\\n",`, `expected = \"\"\"Dot [id A]`."""
    if "\\u" in line:
        line = _ESCAPE.sub(lambda m: chr(int(m[1], 16)), line)
    if _STRING_HEAD.match(line):
        match = _STRING.match(line)
        if match:
            return match["body"].rstrip()
    if '"""' in line or "'''" in line:
        match = _TRIPLE.match(line)
        return line[match.end() :] if match else line
    return line


def _strip_lead(line: str) -> str:
    """`line` without the text that a log, prompt, mail or comment put in front of it."""
    for _ in range(_LAYERS):
        before = line
        for pattern in (_NUMBERED, _QUOTED, _ADDED, _LOG, _LEVEL, _PROMPT, _COMMENT):
            match = pattern.match(line)
            if match:
                line = line[match.end() :]
        if line == before or not line or (line[0] not in _FIRST and line[0] != " "):
            break
    return line


_NARROWEST = 60
_MAX_JOINED = 64
_MAX_CHARACTERS = 200_000
_NO_START = re.compile(r"[.,)}\]{(]|\[\(| ?\[(?:id |@)")
"""Matches text with which no label begins."""
_OUTPUT = re.compile(r"\d{1,6}(?: |$)")
_TAIL = re.compile(
    r" {0,20}(?:<[^<>]{1,200}> ?)?(?:'?[^' ]{0,99}' {0,4}|')?(?:(?:[dva]?=)?\{[^{}]{0,99}\} ?){0,3}\d{0,6} *(?:(?P<arrow>->)|\[|$)"
)
"""Matches the end of a label: type, name, maps, order number, storage, or parts of these."""


def broken_rows(rows: Sequence[str]) -> frozenset[int]:
    """Returns the indices of the rows that a terminal broke. The next row continues such a row without a space."""
    width = max(map(len, rows))
    if width < _NARROWEST:
        return frozenset()
    ids = any(map(ID.search, rows))
    broken: set[int] = set()
    joined, whole = 0, ""
    for number, row in enumerate(rows):
        if len(row) != width or number + 1 == len(rows):
            continue
        joined, whole = (joined + 1, whole + row) if number - 1 in broken else (0, row)
        if joined < _MAX_JOINED and len(whole) < _MAX_CHARACTERS and _goes_on(whole.rstrip("\r"), rows[number + 1].rstrip("\r"), ids):
            broken.add(number)
    return frozenset(broken)


def _goes_on(row: str, below: str, ids: bool) -> bool:
    """Whether `below` continues `row`, which has the full width; `ids`: whether the text has ids."""
    if not below or below.isspace():
        return False
    label = row.lstrip(MARKS)
    id_ = ID.search(label)
    rest = label[id_.end() :] if id_ else label
    is_open = open_brackets(rest) or (id_ is not None and rest.count("'") % 2 == 1)
    arrow = id_ is not None and rest.rstrip().endswith((" -", " ->"))
    marks = below[: len(below) - len(below.lstrip(MARKS))]
    if marks.strip():  # an inner output has a space before its `>`
        return below[0] == ">" and (arrow or label.count("<") > label.count(">"))
    if is_open or arrow:
        return True
    if id_ or not ids:
        tail = _TAIL.match(below)
        if tail and (tail["arrow"] or not ID.search(below)):
            return True
        if id_:
            return False
    number = label[-1:] == "." and _OUTPUT.match(below)
    return bool(number or _NO_START.match(below)) or closes_more(below) or (ids and label != row and bool(ID.search(below)))


_LONGEST = 200
_MOST = 64
"""Largest number of prefixes in one text."""
_USUAL_STARTS = frozenset(MARKS + "\t") - {">"} | {""}
"""First characters of nearly all lines of an unmodified text."""
_BRANCH = re.compile(r" (?:\||[├└┣┗┝┕][─━]|[>←]) ?[^\s|]")
"""Matches the beginning of the first line below an output."""
_NUMBER = re.compile(r" *\d+")


def without_prefixes(rows: list[str], first: int = 0) -> list[str]:
    """Removes the prefixes of printed graphs from lines of text. Line number `first` belongs to a graph, and shows how far it is
    indented.
    """
    prefixes = _all_prefixes(rows, first)
    if not prefixes:
        return rows
    result = []
    following = iter([*prefixes[1:], None])
    pattern, after = prefixes[0][1], next(following)
    for number, row in enumerate(rows):
        if after is not None and number >= after[0]:
            pattern, after = after[1], next(following)
        flat = _flat(row)
        match = pattern.match(flat) or (after[1].match(flat) if after is not None else None)
        result.append(flat[match.end() :] if match else row)
    return result


def _all_prefixes(rows: Sequence[str], first: int) -> list[tuple[int, re.Pattern[str]]]:
    """(number of the first row that certainly has it, pattern) of each prefix."""
    prefixes: list[tuple[int, re.Pattern[str]]] = []
    indent = len(rows[first]) - len(rows[first].lstrip(" \t"))
    for number, row in enumerate(rows):
        if _begins_as_usual(row, indent) or row.isspace():
            continue  # true for nearly all rows
        above, before = _two_above(rows, number, indent)
        untouched = not indent and above[:1] in _USUAL_STARTS and before[:1] in _USUAL_STARTS
        if not untouched and (_may_begin_alike(above, row, indent) or _may_begin_alike(before, row, indent)):
            flat = _flat(row)
            if _BRANCH.search(flat) and (not prefixes or not prefixes[-1][1].match(flat)):
                prefix = _common(_flat(above), flat) or _common(_flat(before), flat)
                if prefix:
                    prefixes.append((max(0, number - 2), _pattern(prefix)))
                    if len(prefixes) == _MOST:
                        break
    return prefixes


def _two_above(rows: Sequence[str], number: int, indent: int) -> tuple[str, str]:
    """The two nearest non-empty rows above row `number`, nearest first."""
    nearest: list[str] = []
    while number and len(nearest) < 2:
        number -= 1
        row = rows[number]
        if row and (_begins_as_usual(row, indent) or not row.isspace()):
            nearest.append(row)
    above, before, *_ = *nearest, "", ""
    return above, before


def _begins_as_usual(row: str, indent: int) -> bool:
    return row[:1] in _USUAL_STARTS and (not indent or row[indent : indent + 1] in _USUAL_STARTS)


def _may_begin_alike(above: str, below: str, indent: int) -> bool:
    """Whether two rows may have a common prefix, which hardly any two rows of an unmodified text may."""
    for at in (0, indent) if indent else (0,):
        a, b = above[at : at + 1], below[at : at + 1]
        if (a == b and a not in _USUAL_STARTS and (a != ">" or not at)) or (a.isdigit() and b.isdigit()):
            return True
    return False


def _flat(row: str) -> str:
    """`row` with tabs and odd spaces as plain spaces."""
    if not row.isascii():
        row = repair(row)
    return row.expandtabs(8) if "\t" in row else row


def _common(above: str, below: str) -> str:
    """The common prefix of an output, `above`, and the first line below it; empty where they are no such lines."""
    i = j = 0
    while i < len(above) and j < len(below) and i < _LONGEST:
        if above[i] == below[j] and not above[i].isdigit():
            if above[i] == " " and (numbers := _numbers(above, i, below, j)):
                i, j = numbers
            else:
                i, j = i + 1, j + 1
        elif numbers := _numbers(above, i, below, j):
            i, j = numbers
        else:
            break
    prefix = above[:i]
    quotes = prefix[:1] == ">" and prefix[-1] == " "  # the mark of an inner graph follows a space, a quotation mark precedes one
    if not (quotes or prefix.strip(MARKS)) or prefix[-1] in "\"'" or prefix.endswith(" |") or "[id " in prefix or "[@" in prefix:
        return ""
    return prefix if above[i : i + 1] not in ("", *MARKS) and _BRANCH.match(below, j) else ""


def _numbers(above: str, i: int, below: str, j: int) -> tuple[int, int] | None:
    """Ends of the numbers at `i` and `j`, padding spaces included; None if there are none."""
    a, b = _NUMBER.match(above, i, i + _LONGEST), _NUMBER.match(below, j, j + _LONGEST)
    return (a.end(), b.end()) if a and b else None


def _pattern(prefix: str) -> re.Pattern[str]:
    """A pattern that matches `prefix` with any numbers; on an empty line its trailing spaces may be missing."""
    body = prefix.rstrip(" ")
    parts = [r" *\d+" if _NUMBER.fullmatch(part) else re.escape(part) for part in re.split(r"( *\d+)", body) if part]
    return re.compile("".join(parts) + rf"(?: {{{len(prefix) - len(body)}}}| *$)")
