"""docs/flags.md has the meanings that `explain` prints, the defaults of the tables of flags, and rules that speak of the flag."""

from __future__ import annotations

import re

import pytest

from theanodiag.flags.defaults import advice, load_table
from theanodiag.flags.model import Dialect
from theanodiag.rules.registry import all_rules

from ..interpreters import ROOT

TEXT = (ROOT / "docs" / "flags.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.split("|")[1:-1]] for line in TEXT.splitlines() if line.startswith("| `")]
HEADER = next(line for line in TEXT.splitlines() if line.startswith("| flag "))
RELEASES = [(Dialect(name.lower()), version) for name, version in re.findall(r"(Theano|Aesara|PyTensor) ([\d.]+) \|", HEADER)]
"""Library and version of each column of defaults."""


def test_the_page_has_ten_flags() -> None:
    """Each once, with a default for each of three releases."""
    assert len({row[0] for row in ROWS}) == len(ROWS) == 10
    assert [dialect for dialect, _ in RELEASES] == [Dialect.THEANO, Dialect.AESARA, Dialect.PYTENSOR]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip("`"))
def test_meanings_are_those_of_explain(row: list[str]) -> None:
    """One sentence in one place: the page repeats it."""
    known = advice(row[0].strip("`"))
    assert known is not None
    assert row[1] == known.meaning


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip("`"))
def test_defaults_are_those_of_the_tables(row: list[str]) -> None:
    """The word "none" stands for a release without the flag."""
    name = row[0].strip("`")
    tables = [load_table(dialect, version) for dialect, version in RELEASES]
    assert [table.version for table in tables] == [version for _, version in RELEASES]
    flags = [table.dotted(name) for table in tables]
    assert row[2:5] == [f"`{flag.default}`" if flag else "none" for flag in flags]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip("`"))
def test_a_rule_of_the_row_names_the_flag(row: list[str]) -> None:
    """The first one; `cast_policy` has the rule about what it decides."""
    pages = {rule.code: rule.page for rule in all_rules()}
    first = re.findall(r"TD\d{3}", row[6])[0]
    assert row[0].strip("`").rpartition(".")[2] in pages[first] or (row[0], first) == ("`cast_policy`", "TD402")
