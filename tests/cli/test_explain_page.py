"""Pages of rules on a terminal: paragraphs as wide as it is, code as it stands."""

from __future__ import annotations

import pytest

from theanodiag.cli.explain import fitted
from theanodiag.rules.registry import all_rules

PAGES = {rule.code: rule.page.strip() for rule in all_rules()}


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize("code", PAGES)
def test_no_word_is_lost(code: str, width: int) -> None:
    """Whatever the width, the words are the same and in the same order, and empty lines stay."""
    page = PAGES[code]
    shown = fitted(page, width)
    assert shown.split() == page.split()
    assert shown.count("\n\n") == page.count("\n\n")


@pytest.mark.parametrize("width", [60, 80])
def test_paragraphs_fit_and_code_stays(width: int) -> None:
    """A paragraph is broken between words; a line of code is not, however long."""
    code = "    call(" + "x, " * 40 + "y)"
    page = "TD999: a page\n\nWhat it finds\n" + "\n".join("    " + "word " * 25 for _ in range(3)) + f"\n\nExample\n        {code}"
    lines = fitted(page, width).split("\n")
    assert f"        {code}" in lines
    assert max(len(line) for line in lines if "word" in line) <= width
