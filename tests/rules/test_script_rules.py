"""Rules about scripts: each fires on its own example, stays silent on its near miss, and has a whole page."""

from __future__ import annotations

import pytest

from theanodiag.rules.base import HEADINGS, Rule
from theanodiag.rules.registry import CONFIRM_RULES, SCRIPT_RULES, all_rules
from theanodiag.rules.subject import ScriptSubject

EACH = pytest.mark.parametrize("rule", [*SCRIPT_RULES, *CONFIRM_RULES], ids=lambda rule: rule.code)


@EACH
def test_rule_fires_on_its_example(rule: Rule[ScriptSubject]) -> None:
    """The example that shall fire gives at least one finding, with the rule's own code."""
    found = list(rule.check(rule.fires()))
    assert found
    assert {f.code for f in found} == {rule.code}


@EACH
def test_rule_is_silent_on_the_near_miss(rule: Rule[ScriptSubject]) -> None:
    """The example beside it gives none."""
    assert list(rule.check(rule.silent())) == []


@EACH
def test_page_has_every_heading_in_order(rule: Rule[ScriptSubject]) -> None:
    """The page holds all sections, so that `explain` answers the same questions for each rule."""
    places = [rule.page.find(f"\n{heading}\n") for heading in HEADINGS]
    assert -1 not in places
    assert places == sorted(places)
    assert rule.title


def test_codes_and_names_are_unique() -> None:
    """No two rules share a code or a name."""
    rules = all_rules()
    assert len({r.code for r in rules}) == len({r.name for r in rules}) == len(rules)
