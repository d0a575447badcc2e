"""Notebooks: extracts the code cells as one source, and writes changes back without touching any other byte."""

from __future__ import annotations

import bisect
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import cast

from .. import files
from ..compat.running import notebook
from ..errors import Span, UnreadableError, line_starts
from ..findings import Finding, Location
from .model import PortEdit, applied

_SPACE = re.compile(r"[ \t\r\n]*")
_KEPT = "#theanodiag kept: "
"""Marks a line for IPython (`%run`, `!ls`) in `Notebook.marked`, whose lines may move."""
_IN_BLOCK = f"0{_KEPT}"
"""The same for a line in a block: a statement, as the line may be the only one there."""
_CELL = "#theanodiag cell\n"
"""Marks the beginning of each cell in `Notebook.marked`."""
_HELP = "save it again from Jupyter, or leave it out"


@dataclass(frozen=True)
class SourceCell:
    """One code cell."""

    number: int
    """Position among all cells, from 1."""
    start: int
    """Offset in the file of its `source`, a JSON string or an array of them."""
    end: int
    code: str


class Notebook:
    """The text of an .ipynb file (nbformat 3 or 4), and its code cells."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path = text, path
        try:
            document = json.loads(text)
            if not isinstance(document, dict) or not any(isinstance(document.get(key), list) for key in ("cells", "worksheets")):
                raise ValueError("it has no cells; formats 3 and 4 are read")
            cells = [SourceCell(n, *place, self._code(*place)) for n, place in enumerate(self._places(), 1) if place]
            self.cells = [c for c in cells if notebook.is_python(c.code)]
        except (ValueError, RecursionError, IndexError) as error:
            raise UnreadableError(f"this is not a notebook: {error}", path=path, help=_HELP) from None

    @cached_property
    def source(self) -> str:
        """The code of all cells, each followed by a line end; IPython lines (`%run`, `!ls`, `dot?`) become comments of the same length, in
        a block a statement and a comment, as the line may be the only one there.
        """
        return "".join(notebook.replaced(c.code, _as_long) + "\n" for c in self.cells)

    @property
    def marked(self) -> str:
        """The code of all cells with marker comments for the beginning of each cell and for IPython lines."""
        return "".join(f"{_CELL}{notebook.replaced(c.code, _marked)}\n" for c in self.cells)

    def in_cell(self, span: Span) -> Span:
        """Returns the place in a cell for a place in `source`, or in the changed text of `marked`. The name of its source is `model.ipynb,
        cell 3`.
        """
        if span.text.startswith(_CELL):
            start = span.text.rfind(_CELL, 0, span.start + 1)
            index, start = span.text.count(_CELL, 0, start), start + len(_CELL)
            end = span.text.find(_CELL, start)
            code = span.text[start : end if end >= 0 else len(span.text)]
        else:
            starts = self._starts
            index = min(bisect.bisect_right(starts, span.start), len(self.cells)) - 1
            start, code = starts[index], self.cells[index].code
        cell = self.cells[index]
        return Span(notebook.cell_name(self.path, cell.number), code, span.start - start, min(span.end - start, len(code)))

    def placed(self, f: Finding) -> Finding:
        """Returns a finding on `source` with its place in a cell."""
        line, column = f.location.line or 1, f.location.column or 1
        start = line_starts(self.source)[line - 1] + column - 1
        place = Location.of(self.in_cell(Span(self.path, self.source, start, start + 1)))
        return replace(f, location=replace(place, detail=f.location.detail))

    @cached_property
    def _starts(self) -> list[int]:
        """The offsets in `source` at which the cells begin, and its length."""
        return list(itertools.accumulate((len(cell.code) + 1 for cell in self.cells), initial=0))

    def edited(self, edits: list[PortEdit]) -> str:
        """Returns the notebook file with edits of `source` applied."""
        starts = self._starts
        own: list[list[PortEdit]] = [[] for _ in self.cells]
        for edit in edits:
            n = bisect.bisect_right(starts, edit.start) - 1
            if n < len(own):
                at, end = starts[n], min(edit.end, starts[n + 1] - 1)
                own[n].append(PortEdit(edit.start - at, end - at, edit.replacement))
        return self._with([applied(cell.code, held) for cell, held in zip(self.cells, own)])

    def rewritten(self, marked: str) -> str:
        """Returns the notebook file with the changed code `marked`. Raises UnreadableError if its markers do not match the cells."""
        before, *codes = marked.split(_CELL)
        if len(codes) != len(self.cells):
            raise UnreadableError("its cells are not found again after the translation", path=self.path, help=_HELP)
        codes[:1] = [before + code for code in codes[:1]]
        return self._with([code.removesuffix("\n").replace(_IN_BLOCK, "").replace(_KEPT, "") for code in codes])

    def _with(self, codes: list[str]) -> str:
        """The notebook file with the code of its cells replaced by `codes`."""
        pairs = [(c, code) for c, code in zip(self.cells, codes) if code != c.code]
        return applied(self.text, [PortEdit(c.start, c.end, _like(self.text[c.start : c.end], code)) for c, code in pairs])

    def _places(self, sheet: int = 0) -> Iterator[tuple[int, int] | None]:
        """For each cell of the JSON object at `sheet` (the notebook, or a worksheet of format 3) where its code begins and ends; None for a
        cell without code."""
        for key, start, _ in self._members(self._skip(sheet)):
            if key == "worksheets":
                for at in self._items(start):
                    yield from self._places(at)
            elif key == "cells":
                for at in self._items(start):
                    members = {name: (begin, end) for name, begin, end in self._members(at)}
                    kind = json.loads(self.text[slice(*members["cell_type"])]) if "cell_type" in members else None
                    place = members.get("source", members.get("input"))  # as format 4 and format 3 call it
                    yield place if kind == "code" else None

    def _code(self, start: int, end: int) -> str:
        value = json.loads(self.text[start:end])
        return "".join(value) if isinstance(value, list) else str(value)

    def _skip(self, at: int) -> int:
        return cast("re.Match[str]", _SPACE.match(self.text, at)).end()

    def _value(self, at: int) -> int:
        """Offset just past the JSON value at offset `at`."""
        return json.JSONDecoder().raw_decode(self.text, at)[1]

    def _members(self, at: int) -> Iterator[tuple[str, int, int]]:
        """Yields (key, start and end offsets of the value) for each member of the JSON object at offset `at`."""
        if self.text[at] != "{":
            return
        at = self._skip(at + 1)
        while self.text[at] == '"':
            key, at = scanstring(self.text, at + 1)
            begin = self._skip(self._skip(at) + 1)
            end = self._value(begin)
            yield key, begin, end
            at = self._skip(self._skip(end) + 1) if self.text[self._skip(end)] == "," else self._skip(end)

    def _items(self, at: int) -> Iterator[int]:
        """Yields the start of each item of the array at `at`."""
        at = self._skip(at + 1)
        while self.text[at] != "]":
            yield at
            at = self._skip(self._value(at))
            at = self._skip(at + 1) if self.text[at] == "," else at


def _as_long(indent: str, mark: str, rest: str) -> str:
    """A line for IPython as Python of the same length; the lines that continue it are comments."""
    first, *others = f"{mark}{rest}".split("\n")
    start = "#" if not indent else "0#"[: len(first)]
    return "\n".join([f"{indent}{start}{first[len(start) :]}", *("#" + line[1:] if line else "" for line in others)])


def _marked(indent: str, mark: str, rest: str) -> str:
    """A line for IPython in `Notebook.marked`."""
    return f"{indent}{_IN_BLOCK if indent else _KEPT}{mark}{rest}".replace("\n", f"\n{_KEPT}")


def cell_code(place: Location) -> str:
    """Returns the code of the notebook's cell at `place`, as it is run. Raises `UnreadableError` if there is none."""
    path = place.in_file().path
    for cell in notebook.cells(files.notebook_text(path, _HELP)):
        if cell.number == place.cell:
            return cell.code
    raise UnreadableError(f"it has no cell {place.cell}", path=path, help=_HELP)


def _like(raw: str, code: str) -> str:
    """The code as a JSON string or array of strings, with the layout of `raw`."""
    plain = raw.isascii()
    if not raw.startswith("["):
        return json.dumps(code, ensure_ascii=plain)
    opening = cast("re.Match[str]", _SPACE.match(raw, 1)).group()
    closing = cast("re.Match[str]", re.search(r"[ \t\r\n]*\]\Z", raw)).group()
    lines = [json.dumps(line, ensure_ascii=plain) for line in code.splitlines(keepends=True)]
    return f"[{opening}{(',' + (opening or ' ')).join(lines)}{closing}"
