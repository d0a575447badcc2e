"""Reads unmodified lines, nearly all of a usual text, without the clean-up and searches that others need."""

from __future__ import annotations

import re
from sys import intern

from .branch_marks import MARKS, Marks, marks_of
from .model import Label, Line, LineRole
from .nodes import LONGEST_ID, usual_tail

_ODD = ("&", "\\", "â", "Â", '"""', "'''")
"""Marks of modified text: HTML references, escapes and quotes of source code, mis-decoded characters."""
_LEAD = re.compile(r"[<*\d.+\[-]|In \[|Out\[|DEBUG|WARN|ERROR|CRIT|INFO")
"""How a line without branch marks begins if it may be a prompt, a log, a quotation or a numbered line."""
_VALUE = re.compile(r"(?:[-+\d.e]+|\[[-+\d.einfa \[\]]*\]) ?$")
"""A constant in front of its id."""
REPEATED = ("···", "...", "…")
"""What is printed below a node that was printed before."""


class FastLines:
    """Reads the unmodified lines of one text; equal labels, and equal parts of labels, are parsed once."""

    def __init__(self, text: str) -> None:
        self._before = "[id " if "[id " in text else "[@"
        self._odd = [c for c in _ODD if c in text]
        self._marks: dict[str, Marks | None] = {}
        """Marks by the prefix of the line; None for quotations."""
        self._labels: dict[str, Label] = {}
        self._heads: dict[str, str] = {}
        """Interned text in front of the id, by that text; empty where it needs a closer look."""
        self._tails: dict[str, Label | None] = {}
        """Parsed fields behind the id, with order number 0, by their text; None where it needs a closer look."""

    def line(self, raw: str, number: int, start: int) -> Line | None:
        """The logical line that `raw` (line number `number`, at offset `start`) is; None where it needs a closer look."""
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
        fixed = (tail := tail.rstrip()).rstrip(_DIGITS)
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


_DIGITS = "0123456789"
_UNREAD = Label("", "")
_DOTS = Label("···", "")


def _head(head: str) -> str:
    """The interned text in front of an id; empty where it may be something other than an Op or leaf."""
    known = head[:1].isalpha() or head[:1] in ("_", "<", "*") or _VALUE.match(head)
    return intern(head.rstrip()) if known and '"' not in head[:3] and "'" not in head[:3] and "[@" not in head else ""
