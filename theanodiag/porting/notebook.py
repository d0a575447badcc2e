"""Notebooks: extracts the code cells as one source, and writes changes back without touching any other byte."""

from __future__ import annotations

import bisect
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import cast

from ..errors import UnreadableError
from .model import PortEdit, applied

_SPACE = re.compile(r"[ \t\r\n]*")
_MAGIC = re.compile(r"^([ \t]*)([%!?]|[A-Za-z_](?=[\w.]*\?\??[ \t]*$))", re.M)
_CELL_MAGIC = re.compile(r"\s*%%")
_KEPT = "#theanodiag kept: "
"""Marks a line for IPython (`%run`, `!ls`) in `Notebook.marked`, whose lines may move."""
_CELL = "#theanodiag cell\n"
"""Marks the beginning of each cell in `Notebook.marked`."""
_HELP = "save it again from Jupyter, or leave it out"


@dataclass(frozen=True)
class SourceCell:
    """One code cell."""

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
            self.cells = [c for c in self._code_cells() if not _CELL_MAGIC.match(c.code)]
        except (ValueError, RecursionError, IndexError) as error:
            raise UnreadableError(f"this is not a notebook: {error}", path=path, help=_HELP) from None

    @property
    def source(self) -> str:
        """The code of all cells, each followed by a line end; IPython lines (`%run`, `!ls`, `dot?`) become comments of the same length."""
        return "".join(_MAGIC.sub(r"\1#", c.code) + "\n" for c in self.cells)

    @property
    def marked(self) -> str:
        """The code of all cells with marker comments for the beginning of each cell and for IPython lines."""
        kept = rf"\1{_KEPT}\2"
        return "".join(f"{_CELL}{_MAGIC.sub(kept, c.code)}\n" for c in self.cells)

    def edited(self, edits: list[PortEdit]) -> str:
        """The notebook file with edits of `source` applied."""
        starts = list(itertools.accumulate((len(cell.code) + 1 for cell in self.cells), initial=0))
        own: list[list[PortEdit]] = [[] for _ in self.cells]
        for edit in edits:
            n = bisect.bisect_right(starts, edit.start) - 1
            if n < len(own):
                at, end = starts[n], min(edit.end, starts[n + 1] - 1)
                own[n].append(PortEdit(edit.start - at, end - at, edit.replacement))
        return self._with([applied(cell.code, held) for cell, held in zip(self.cells, own)])

    def rewritten(self, marked: str) -> str:
        """The notebook file with the changed code `marked`; raises UnreadableError if its markers do not match the cells."""
        before, *codes = marked.split(_CELL)
        if len(codes) != len(self.cells):
            raise UnreadableError("its cells are not found again after the translation", path=self.path, help=_HELP)
        codes[:1] = [before + code for code in codes[:1]]
        return self._with([code.removesuffix("\n").replace(_KEPT, "") for code in codes])

    def _with(self, codes: list[str]) -> str:
        """The notebook file with the code of its cells replaced by `codes`."""
        pairs = [(c, code) for c, code in zip(self.cells, codes) if code != c.code]
        return applied(self.text, [PortEdit(c.start, c.end, _like(self.text[c.start : c.end], code)) for c, code in pairs])

    def _code_cells(self, sheet: int = 0) -> Iterator[SourceCell]:
        """Yields the code cells of the JSON object at `sheet`: the notebook, or one of its worksheets (format 3)."""
        for key, start, _ in self._members(self._skip(sheet)):
            if key == "worksheets":
                for at in self._items(start):
                    yield from self._code_cells(at)
            elif key == "cells":
                for at in self._items(start):
                    members = {name: (begin, end) for name, begin, end in self._members(at)}
                    kind = json.loads(self.text[slice(*members["cell_type"])]) if "cell_type" in members else None
                    place = members.get("source", members.get("input"))  # as format 4 and format 3 call it
                    if kind == "code" and place is not None:
                        begin, end = place
                        value = json.loads(self.text[begin:end])
                        yield SourceCell(begin, end, "".join(value) if isinstance(value, list) else str(value))

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


def _like(raw: str, code: str) -> str:
    """The code as a JSON string or array of strings, with the layout of `raw`."""
    plain = raw.isascii()
    if not raw.startswith("["):
        return json.dumps(code, ensure_ascii=plain)
    opening = cast("re.Match[str]", _SPACE.match(raw, 1)).group()
    closing = cast("re.Match[str]", re.search(r"[ \t\r\n]*\]\Z", raw)).group()
    lines = [json.dumps(line, ensure_ascii=plain) for line in code.splitlines(keepends=True)]
    return f"[{opening}{(',' + (opening or ' ')).join(lines)}{closing}"
