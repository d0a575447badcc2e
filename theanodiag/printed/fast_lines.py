"""The lines that nothing has touched, nearly all of a usual text: taken apart without the clean-up and the searches that others need."""

from __future__ import annotations

import re
from sys import intern

from .branch_marks import MARKS, Marks, marks_of
from .label import LONGEST_ID, usual_tail
from .model import Label, Line, LineRole

_ODD = ("&", "\\", "â", "Â", '"""', "'''")
"""What no untouched line holds: references to characters, escapes and strings of source code, text in the wrong encoding."""
_LEAD = re.compile(r"[<*\d.+\[-]|In \[|Out\[|DEBUG|WARN|ERROR|CRIT|INFO")
"""How a line without branch marks begins if it may be a prompt, a log, a quotation or a numbered line."""
_VALUE = re.compile(r"(?:[-+\d.e]+|\[[-+\d.einfa \[\]]*\]) ?$")
"""What stands in front of the id of a constant."""
REPEATED = ("···", "...", "…")
"""What stands below a node that was printed before."""


class FastLines:
    """Takes the untouched lines of one text. Equal labels, and equal parts of labels, are read once."""

    def __init__(self, text: str) -> None:
        self._before = "[id " if "[id " in text else "[@"
        self._odd = [c for c in _ODD if c in text]
        self._marks: dict[str, Marks | None] = {}
        """By what stands in front of the label; None for quotations."""
        self._labels: dict[str, Label] = {}
        self._heads: dict[str, str] = {}
        """By what stands in front of the id; empty where that needs a closer look."""
        self._tails: dict[str, Label | None] = {}
        """By what stands behind the id, with 0 for any order number."""

    def line(self, raw: str, number: int, start: int) -> Line | None:
        """The logical line that `raw` is by itself; None where that needs a closer look."""
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
        """The parts of a label with an id and, behind it, only what nearly all have."""
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
    """What the label begins with; empty where it may be something else."""
    known = head[:1].isalpha() or head[:1] in ("_", "<", "*") or _VALUE.match(head)
    return intern(head.rstrip()) if known and '"' not in head[:3] and "'" not in head[:3] and "[@" not in head else ""
