"""Writes docs/rules/: a page for each rule from its docstring, with what it says on its own examples; run by `make rules`.

    python tools/rule_pages.py

A test holds the committed pages against what this makes.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from theanodiag.findings import Finding
from theanodiag.rules.base import HEADINGS
from theanodiag.rules.config import CONFIG_RULES
from theanodiag.rules.registry import CONFIRM_RULES, IGNORE_RULES, OUTCOME_RULES, SAMPLING_RULES, SCRIPT_RULES
from theanodiag.rules.source_registry import PORT_RULES, SOURCE_RULES, WEIGHTS_RULES

FAMILIES = {
    "TD0": "Coverage",
    "TD1": "Compatibility",
    "TD2": "Flags",
    "TD3": "Memory",
    "TD4": "Numerics",
    "TD5": "Transfers",
}


class AnyRule(Protocol):
    """What a page needs of a rule."""

    code: str
    name: str
    page: str

    @property
    def title(self) -> str:
        """The first line of the page, without the code."""


def pages() -> dict[str, str]:
    """File name -> text of all pages and of the index."""
    found: dict[str, str] = {}
    rows: list[AnyRule] = []
    for said, rule in sorted(_rules(), key=lambda row: row[1].code):
        rows.append(rule)
        found[f"{rule.code}.md"] = page(rule, said())
    return {"index.md": index(rows), **found}


def _rules() -> Iterator[tuple[Callable[[], list[Finding]], AnyRule]]:
    """Each rule, with what it says on the example that makes it fire; it is silent on the other."""
    of_scripts: tuple[Iterable[Any], ...] = (SCRIPT_RULES, SAMPLING_RULES, CONFIRM_RULES, IGNORE_RULES, OUTCOME_RULES)
    for rule in itertools.chain(*of_scripts, CONFIG_RULES, PORT_RULES, WEIGHTS_RULES, SOURCE_RULES):
        yield lambda r=rule: list(r.check(r.fires())), rule  # type: ignore[misc]


def page(rule: AnyRule, findings: Iterable[Finding]) -> str:
    """One page."""
    body = rule.page.strip().split("\n", 1)[1]
    lines = [f"# {rule.code}: {rule.title}", "", f"`{rule.name}`", *_sections(body), "## Example output", ""]
    for f in findings:
        lines += ["```text", *textwrap.wrap(f"{f.location}: {f.kind}: {f.message}", 96)]
        lines += [f"  {note}" for note in f.notes]
        if f.fix:
            lines += [f"  {f.fix.title}:", *(f"    {line}" for line in f.fix.code.split("\n"))] if f.fix.code else [f"  {f.fix.title}"]
        lines += ["```", ""]
    return "\n".join(lines)


def _sections(body: str) -> Iterator[str]:
    """The sections with Markdown headings, less their indent."""
    for line in body.split("\n"):
        if line in HEADINGS:
            yield f"## {line}"
            yield ""
        else:
            yield line.removeprefix("    ")
    yield ""


def index(rules: Iterable[AnyRule]) -> str:
    """The list of all rules, by family."""
    about = "Each rule has a page, which `theanodiag explain CODE` also prints. `tools/rule_pages.py` makes the pages from the rules."
    lines = ["# Rules", "", about, ""]
    family = ""
    for rule in rules:
        if rule.code[:3] != family:
            family = rule.code[:3]
            lines += ["", f"## {family}xx: {FAMILIES[family]}", "", "| code | name | what it finds |", "|---|---|---|"]
        lines.append(f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.title} |")
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def main(folder: Path) -> None:
    """Writes the pages, and removes those of rules that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    made = pages()
    for old in folder.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(__file__).parents[1] / "docs" / "rules")
