"""The pages in docs/rules are those that the rules give, and lead to one another."""

from __future__ import annotations

import re
import sys

from tests.interpreters import ROOT
from theanodiag.rules.registry import all_rules

sys.path.insert(0, str(ROOT / "tools"))

from rule_pages import pages

FOLDER = ROOT / "docs" / "rules"


def test_committed_pages_are_current() -> None:
    """`python tools/rule_pages.py` would change nothing."""
    made = pages()
    stale = [name for name, text in made.items() if not (FOLDER / name).exists() or (FOLDER / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run: python tools/rule_pages.py"
    assert {p.name for p in FOLDER.glob("*.md")} == set(made)


def test_index_leads_to_every_rule() -> None:
    """Each code once, and each link to a page."""
    links = re.findall(r"\]\((TD\d+)\.md\)", pages()["index.md"])
    assert links == [r.code for r in all_rules()]


def test_pages_show_what_the_rule_says() -> None:
    """The finding on its own example, under its code."""
    for name, text in pages().items():
        if name != "index.md":
            assert f" {name[:-3]} " in text.split("## Example output")[1]
