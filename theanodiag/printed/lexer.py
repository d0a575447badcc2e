"""Splits a text into logical lines of printed graphs, in one pass; other text is skipped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from sys import intern
from typing import NamedTuple

from .cleaning import MARKS, Marks, broken_rows, clean, marks_of, without_prefixes
from .model import Label, Line, LineRole
from .nodes import ID, LONGEST_ID, closes_more, open_brackets, usual_tail

_SECTION = re.compile(r"\s*(?:Inner graphs?(?: of the scan ops)?|Default updates):\s*$")
_LISTED_INPUT = re.compile(r"-(?=[A-Za-z_*<])")
"""The mark with which Aesara lists inputs (`print_fgraph_inputs`)."""
_BAR = re.compile(r"(?<!\|)\|[A-Za-z_<]")
_ORDERED = re.compile(r"[A-Za-z_][^\n]*?\s\d+$")
_QUOTED_NAME = re.compile(r"\s'[^']*'(?:\s+\{\})*(?:\s+\d+)?\s*$")
_INPLACE_SCAN = re.compile(r"(?:for|do_while)?all_inplace,")
_UNICODE = re.compile("[├└]─")
_SENTENCE = re.compile(r"[.,;:!?)](?:\s|$)|\s(?!for |shape=|[dva]=)[a-z]{2,}[ ,.]")
"""Matches text after an id that occurs in sentences, never in labels."""
_SPACED = ("[id", ",")
"""Text that is always followed by a space in labels."""
_NOWHERE = -2
_MAX_JOINED = 256
_FEW = 10
"""Minimum number of ids from which the graph itself, not only the text around it, is taken to be printed with ids."""
_MAX_CHARACTERS = 200_000


class _Piece(NamedTuple):
    """One cleaned physical line, or several joined ones."""

    mark: int
    kind: LineRole
    column: int
    label: str
    number: int
    start: int
    end: int
    length: int
    """Characters of the last physical line."""
    joined: int = 1
    single: bool = False

    def line(self, kind: LineRole | None = None) -> Line:
        """Converts the piece to a logical line, with the role `kind` if given."""
        return Line(self.kind if kind is None else kind, self.column, self.mark, self.label, self.number, self.start, self.end, self.single)


def read_lines(text: str) -> Iterator[Line]:
    """Yields the logical lines of all printed graphs in `text`."""
    ids = len(list(islice(ID.finditer(text), _FEW)))
    marks = bool(_UNICODE.search(text))
    quotes = not ids and "''" in text
    if ids < _FEW and (marks or quotes or _BAR.search(text)):
        pieces = [_piece(clean(raw), number, start, start + len(raw)) for number, raw, start in _raw(text)]
        if quotes or any(_hangs(piece, marks) for piece in pieces):
            lines = list(_without_ids(pieces))
            if not ids or not any(ID.search(line.label) for line in lines):
                return iter(lines)  # only the text around the graph has ids
    return _with_ids(text) if ids else iter(())


def _raw(text: str) -> Iterator[tuple[int, str, int]]:
    """Yields (number, text, offset) of each line, without common prefixes; lines that a terminal broke are joined."""
    rows = text.split("\n")
    match = ID.search(text)
    bare = without_prefixes(rows, text.count("\n", 0, match.start()) if match else 0)
    broken = broken_rows(bare)
    start, above = 0, ""
    if bare is rows and not broken:
        for number, row in enumerate(rows, 1):
            yield number, row, start
            start += len(row) + 1
        return
    first, begin = 1, 0
    for number, (row, raw) in enumerate(zip(rows, bare), 1):
        if not above:
            first, begin = number, start + max(0, len(row) - len(raw))
        start += len(row) + 1
        if number - 1 in broken:
            above += raw.rstrip("\r")
            continue
        yield first, above + raw, begin
        above = ""


def _piece(line: str, number: int, start: int, end: int) -> _Piece:
    column = len(line) - len(line.lstrip(MARKS))
    at, kind, single = marks_of(line[:column])
    if kind == LineRole.ROOT:
        listed = _LISTED_INPUT.match(line, column)
        kind, column = (LineRole.INPUT, column + 1) if listed else (LineRole.ROOT, column)
        return _Piece(-1, kind, column, line[column:], number, start, end, len(line))
    if kind == LineRole.CHILD and line[column:] in REPEATED:
        kind = LineRole.DOTS
    return _Piece(at, kind, column, line[column:], number, start, end, len(line), 1, single)


def _join(above: _Piece, below: _Piece) -> _Piece:
    """The piece `above` continued by the text of `below`."""
    text = " " * below.column + below.label if below.mark < 0 else below.label
    broken = above.length < 70 or above.label.endswith(_SPACED)  # lines have no trailing space: it was broken after one
    if above.label and broken and not text.startswith(" "):
        text = " " + text
    if not above.label:  # the marks alone filled a line
        at = above.length + below.mark if below.mark >= 0 else above.mark
        return below._replace(mark=at, column=above.length + below.column, number=above.number, start=above.start, joined=above.joined + 1,
                              kind=LineRole.CHILD if below.kind == LineRole.ROOT else below.kind)  # fmt: skip
    return above._replace(label=above.label + text, end=below.end, length=below.length, joined=above.joined + 1)


def _with_ids(text: str) -> Iterator[Line]:
    """Yields the lines of a text with ids: a line without an id is noise, or continues the line above."""
    held: _Piece | None = None
    recent: list[_Piece] = []
    inside = False
    plain = FastLines(text)
    for number, raw, start in _raw(text):
        line = plain.line(raw, number, start) if held is None else None
        if line is not None and (line.mark >= 0 or not recent):
            yield line
            inside, recent = True, []
            continue
        piece = _piece(clean(raw), number, start, start + len(raw))
        if held is not None:
            if raw.startswith(">") and _type_is_open(held):
                piece = _Piece(-1, LineRole.ROOT, 0, raw.rstrip(), number, start, start + len(raw), len(raw))
            if _continues(held, piece):
                held = _join(held, piece)
                if _is_whole(held):
                    yield _emit(held)
                    held = None
                continue
            yield _emit(held)
            held = None
        if piece.kind == LineRole.DOTS:
            yield piece.line()
        elif (match := ID.search(piece.label)) and piece.mark < 0 and _SENTENCE.match(piece.label, match.end()):
            recent = []
            inside = False
            continue
        elif match:
            whole = _with_head(piece, recent) if recent else piece
            if not open_brackets(whole.label[match.end() :]) if whole is piece else _is_whole(whole):
                yield whole.line()
            else:
                held = whole
        elif _SECTION.match(piece.label):
            yield piece.line(LineRole.SECTION)
        elif piece.mark >= 0 and inside and (piece.label or piece.length >= 40):
            held = piece
        elif inside and piece.label.isdecimal() and len(piece.label) < 7:
            continue  # the rest of an order number that a line break split
        else:
            recent = (recent + [piece])[-8:] if piece.label else []
            inside = False
            continue
        inside, recent = True, []
    if held is not None:
        yield _emit(held)


def _type_is_open(held: _Piece) -> bool:
    """Whether the line was broken within its type, so that a `>` in front of the next line ends the type and is no quotation mark."""
    match = ID.search(held.label)
    rest = held.label[match.end() :] if match else ""
    return rest.count("<") > rest.count(">")


def _emit(piece: _Piece) -> Line:
    return piece.line(None if ID.search(piece.label) else LineRole.DAMAGED)


def _is_whole(piece: _Piece) -> bool:
    match = ID.search(piece.label)
    if not match:
        return piece.joined > _MAX_JOINED or len(piece.label) > _MAX_CHARACTERS
    return match.end() == len(piece.label) or not open_brackets(piece.label[match.end() :]) or piece.joined > _MAX_JOINED


def _continues(held: _Piece, piece: _Piece) -> bool:
    """Whether `piece` continues `held`."""
    if not piece.label or piece.kind == LineRole.DOTS or _SECTION.match(piece.label):
        return False
    has_id = bool(ID.search(piece.label))
    if not held.label:
        return has_id and held.length + piece.column <= 100_000
    if piece.mark >= 0:
        return False
    return not has_id or not ID.search(held.label)


def _with_head(piece: _Piece, recent: list[_Piece]) -> _Piece:
    """`piece` joined with the recent lines in which its label began, if its text shows that."""
    if piece.mark >= 0:
        return piece
    match = ID.search(piece.label)
    head = piece.label[: match.start()] if match else piece.label
    if not closes_more(head) or _INPLACE_SCAN.match(head):
        return piece
    for first in reversed(range(len(recent))):
        joined = recent[first]
        for below in recent[first + 1 :]:
            joined = _join(joined, below)
        joined = _join(joined, piece)
        match = ID.search(joined.label)
        if match and not closes_more(joined.label[: match.start()]):
            return joined
    return piece


def _hangs(piece: _Piece, marks: bool) -> bool:
    """Whether a line belongs to a tree, not to a table; `marks`: whether the text has PyTensor's branch marks."""
    return piece.mark >= 0 and bool(piece.label) and (marks or (piece.mark == piece.column - 1 and piece.label[-1] != "|"))


def _without_ids(pieces: list[_Piece]) -> Iterator[Line]:
    """Yields the lines of a text without ids: those with branch marks, the line above the first of them, and outputs without inputs."""
    above: _Piece | None = None
    held: _Piece | None = None
    at, last = 0, _NOWHERE
    for at, piece in enumerate(_close_together(pieces)):
        if held is not None:
            if piece.mark < 0 and piece.label and open_brackets(held.label) and held.joined < _MAX_JOINED:
                held = _join(held, piece)
                continue
            yield held.line()
            last, held = at - 1, None
        if above is not None and ((piece.mark >= 0 and piece.label) or _is_output(above, at - 2 == last)):
            yield above.line()
            last = at - 1
        above = None
        if piece.mark >= 0 and piece.label:
            held = piece
        elif _SECTION.match(piece.label):
            yield piece.line(LineRole.SECTION)
        elif piece.kind == LineRole.INPUT and last in (_NOWHERE, at - 1):
            yield piece.line()
            last = at
        elif piece.label:
            above = piece
    rest = held or (above if above is not None and _is_output(above, at - 1 == last) else None)
    if rest is not None:
        yield rest.line()


def _close_together(pieces: list[_Piece]) -> Iterator[_Piece]:
    """Yields `pieces`, without the empty lines if the text has one after every line."""
    branches = [k for k in range(2, len(pieces)) if pieces[k].mark >= 0 and pieces[k].label]
    spaced = sum(not pieces[k - 1].label and bool(pieces[k - 2].label) for k in branches)
    if 2 * spaced <= len(branches):
        yield from pieces
        return
    dropped = True
    for piece in pieces:
        dropped = not dropped and not piece.label and piece.mark < 0
        if not dropped:
            yield piece


def _is_output(piece: _Piece, follows: bool) -> bool:
    """Whether a line without marks and without children is an output: by its quoted name, or its order number if it `follows` a graph."""
    return bool(_QUOTED_NAME.search(piece.label[-300:])) or (follows and bool(_ORDERED.match(piece.label)))


_ODD = ("&", "\\", "â", "Â", '"""', "'''")
"""Marks of modified text: HTML references, escapes and quotes of source code, mis-decoded characters."""
_LEAD = re.compile(r"[<*\d.+\[-]|In \[|Out\[|DEBUG|WARN|ERROR|CRIT|INFO")
"""Matches the beginning of a line without branch marks that may be a prompt, a log, a quotation or a numbered line."""
_VALUE = re.compile(r"(?:[-+\d.e]+|\[[-+\d.einfa \[\]]*\]) ?$")
"""Matches a constant in front of its id."""
REPEATED = ("···", "...", "…")
"""Texts that are printed in place of the inputs of a node that was printed earlier."""


class FastLines:
    """A fast reader for lines of one text that nothing (a log, a terminal, a mail) has changed; equal labels, and equal parts of labels,
    are parsed once.
    """

    def __init__(self, text: str) -> None:
        self._before = "[id " if "[id " in text else "[@"
        self._odd = [c for c in _ODD if c in text]
        self._marks: dict[str, Marks | None] = {}
        """Marks by the prefix of the line; None for quotations."""
        self._labels: dict[str, Label] = {}
        self._heads: dict[str, str] = {}
        """Text in front of the id -> the interned text; `''` if it needs the slow path."""
        self._tails: dict[str, Label | None] = {}
        """Text behind the id -> parsed fields, with order number 0; None if it needs the slow path."""

    def line(self, raw: str, number: int, start: int) -> Line | None:
        """Makes the logical line of the text `raw` (line number `number`, at offset `start`); None if only the slow reader can read it."""
        body = raw.lstrip(MARKS)
        label = self._labels.get(body)
        if label is None:
            label = _DOTS if body in REPEATED else self._label(body)
        if label is None:
            return None
        column = len(raw) - len(body)
        prefix = raw[:column]
        try:
            marks = self._marks[prefix]
        except KeyError:
            marks = self._marks[prefix] = None if prefix[:1] == ">" else marks_of(prefix)
        if marks is None or (not column and _LEAD.match(body)):
            return None
        at, kind, single = marks
        if label is _DOTS:
            return Line(LineRole.DOTS, column, at, body, number, start, start + len(raw), single) if kind is LineRole.CHILD else None
        # tuple.__new__ takes half the time of Line(...)
        return tuple.__new__(Line, (kind, column, at, body, number, start, start + len(raw), single, label))

    def _label(self, body: str) -> Label | None:
        """The parsed label, if it has an id and behind that only the usual fields; else None."""
        head, _, rest = body.partition(self._before)
        ident, bracket, tail = rest.partition("]")
        if not (bracket and ident) or "[" in ident or len(ident) > LONGEST_ID or (self._odd and any(c in body for c in self._odd)):
            return None
        if not body.isprintable():  # tabs, escapes, odd spaces; all marks are
            return None
        text = self._heads.get(head)
        if text is None:
            text = self._heads[head] = _head(head)
        fixed = (tail := tail.rstrip()).rstrip("0123456789")
        order = tail[len(fixed) :]
        key = fixed + "0" if order else fixed
        parts = self._tails.get(key, _UNREAD)
        if parts is _UNREAD:
            parts = self._tails[key] = usual_tail(key)
        if not text or parts is None:
            return None
        _, _, kind, _, name, _, _, inside, outer, info = parts
        # tuple.__new__ takes half the time of Label(...)
        label = self._labels[body] = tuple.__new__(Label, (text, ident.strip(), kind, "", name, "", "", order or inside, outer, info))
        return label


_UNREAD = Label("", "")
_DOTS = Label("···", "")


def _head(head: str) -> str:
    """The interned text in front of an id; `''` if it may be something other than an Op or leaf."""
    known = head[:1].isalpha() or head[:1] in ("_", "<", "*") or _VALUE.match(head)
    return intern(head.rstrip()) if known and '"' not in head[:3] and "'" not in head[:3] and "[@" not in head else ""
