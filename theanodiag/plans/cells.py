"""The code cells of a notebook as one text, in which advice looks for names and statements as in a script's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ..findings import Location
from ..ir import Site

_MARK = "#theanodiag cell "
"""Begins the line before each cell, which has its number."""


def joined(cells: Iterable[tuple[int, str]]) -> str:
    r"""Returns the text of the cells, given as (number, code).

    >>> joined([(2, "x = 1"), (3, "f(x)")])
    '#theanodiag cell 2\nx = 1\n#theanodiag cell 3\nf(x)\n'
    """
    return "".join(f"{_MARK}{number}\n{code}\n" for number, code in cells)


def line_of(text: str, site: Site) -> int | None:
    r"""Returns the line of a text, counted from 1, at which a place is. None if the text has another line there: the place may be in
    another module.

    >>> line_of(joined([(2, "x = 1"), (3, "f(x)")]), Site("model.ipynb, cell 3", 1, code="f(x)"))
    4
    """
    rows, cell = _rows(text), Location(site.path).cell
    mark = f"{_MARK}{cell}"
    before = 0 if cell is None else rows.index(mark) + 1 if mark in rows else len(rows)
    line = before + site.line
    return line if line <= len(rows) and (site.code is None or rows[line - 1].strip() == site.code.strip()) else None


def in_cells(text: str, advice: str) -> str:
    r"""Returns advice in which `line 4` of the text is the line of a cell; in that on a script, nothing changes.

    >>> in_cells(joined([(2, "x = 1"), (3, "f(x)")]), "g(x)  # line 4")
    'g(x)  # line 1 of cell 3'
    """
    rows = _rows(text)
    marks = [n for n, row in enumerate(rows, 1) if row.startswith(_MARK)]

    def placed(match: re.Match[str]) -> str:
        line = int(match[2])
        start = max((n for n in marks if n < line), default=0)
        return f"{match[1]}line {line - start} of cell {rows[start - 1].removeprefix(_MARK)}" if start else match[0]

    return re.sub(r"(# |in )line (\d+)\b", placed, advice) if marks else advice


@lru_cache(maxsize=4)
def _rows(text: str) -> list[str]:
    return text.splitlines()
