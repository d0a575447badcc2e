"""Rules about scripts: each fires on its own example, stays silent on its near miss, and has a whole page."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from theanodiag.memory.script import Call, Script
from theanodiag.rules.base import HEADINGS, Rule
from theanodiag.rules.registry import CONFIRM_RULES, SAMPLING_RULES, SCRIPT_RULES, all_rules
from theanodiag.rules.source_registry import PORT_RULES
from theanodiag.rules.subject import ScriptSubject

EACH = pytest.mark.parametrize("rule", [*SCRIPT_RULES, *SAMPLING_RULES, *CONFIRM_RULES, *PORT_RULES], ids=lambda rule: rule.code)


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


NAMES: dict[str, Callable[[int], str | None]] = {
    "none": lambda number: None,
    "no-identifier": lambda number: f"my x[{number}]",
    "keyword": lambda number: "class",
    "quote-and-newline": lambda number: "it's\n(",
    "digit": lambda number: f"{number}_w",
    "lambda": lambda number: "<lambda>",
}


def renamed(script: Script, name: Callable[[int], str | None]) -> Script:
    """The script with other names for all its arguments, shared variables and functions."""
    functions = [
        replace(
            f,
            name=name(f.index) or f.name,
            graph=replace(f.graph, variables=tuple(replace(v, name=name(v.id) if v.name else None) for v in f.graph.variables)),
        )
        for f in script.functions
    ]
    events = [
        replace(e, inputs=tuple(replace(i, name=name(i.variable)) for i in e.inputs)) if isinstance(e, Call) else e for e in script.events
    ]
    shared = {k: replace(v, name=name(k)) for k, v in script.shared.items()}
    return replace(script, functions=tuple(functions), events=tuple(events), shared=shared)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("rule", SCRIPT_RULES, ids=lambda rule: rule.code)
def test_code_to_paste_is_python_whatever_things_are_called(rule: Rule[ScriptSubject], name: Callable[[int], str | None]) -> None:
    """Names that Python does not take, or none at all, still give lines that can be compiled; flags and options are not Python."""
    subject = rule.fires()
    for finding in rule.check(replace(subject, script=renamed(subject.script, name))):
        lines = (finding.fix.code or "").split("\n") if finding.fix else []
        ast.parse("\n".join(line for line in lines if not re.match(r"[A-Z_]+=|--", line)))
