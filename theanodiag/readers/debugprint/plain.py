"""The lines that nothing has touched, nearly all of a usual text: taken apart without the clean-up and the searches that others need."""

from __future__ import annotations

import re

from .label import usual_label
from .marks import MARKS, Marks, marks_of
from .model import Label, Line

_ODD = ("&", "\\", "â", "Â", '"""', "'''")
"""What no untouched line holds: references to characters, escapes and strings of source code, text in the wrong encoding."""
_LEAD = re.compile(r"[<*\d.+\[-]|In \[|Out\[|DEBUG|WARN|ERROR|CRIT|INFO")
"""How a line without branch marks begins if it may be a prompt, a log, a quotation or a numbered line."""
_VALUE = re.compile(r"(?:[-+\d.e]+|\[[-+\d.einfa \[\]]*\]) ?$")
"""What stands in front of the id of a constant."""


class PlainLines:
    """Takes the untouched lines of one text. Equal labels are read once."""

    def __init__(self, text: str) -> None:
        self._before = "[id " if "[id " in text else "[@"
        self._odd = [c for c in _ODD if c in text]
        self._all_print = text.replace("\n", "").isprintable()
        self._marks: dict[str, Marks] = {}
        self._labels: dict[str, Label] = {}

    def line(self, raw: str, number: int, start: int) -> Line | None:
        """The logical line that `raw` is by itself; None where that needs a closer look."""
        body = raw.lstrip(MARKS)
        label = self._labels.get(body)
        if label is None:
            label = self._label(body)
        if label is None or not (self._all_print or raw.isprintable()):  # tabs, escapes, odd spaces
            return None
        column = len(raw) - len(body)
        prefix = raw[:column]
        marks = self._marks.get(prefix)
        if marks is None:
            marks = self._marks[prefix] = marks_of(prefix)
        if prefix[0] == ">" if column else _LEAD.match(body):
            return None
        at, kind, single = marks
        return Line(kind, column, at, body, number, start, start + len(raw), single, label)

    def _label(self, body: str) -> Label | None:
        """The parts of a label with an id and, behind it, only what nearly all have."""
        at = body.find(self._before)
        head = body[:at]
        if at <= 0 or not (body[0].isalpha() or body[0] in "_<*" or _VALUE.match(head)):
            return None
        if '"' in body[:3] or "'" in body[:3] or "[@" in head or (self._odd and any(c in body for c in self._odd)):
            return None
        label = usual_label(body, at, at + len(self._before))
        if label is not None:
            self._labels[body] = label
        return label
