"""SARIF 2.1.0, the format of code scanning: rules with their pages, results with stable fingerprints, and applicable fixes.

Limits of GitHub's code scanning: 25 000 results a run, so more findings make more runs. Source: OASIS SARIF 2.1.0; GitHub's "SARIF support
for code scanning".
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ...escaping import visible_json
from ...findings import Edit, Finding
from ...version import VERSION
from .model import TOOL, Listing, is_file, level, lines_of

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RESULTS = 25_000
"""Maximum number of results in one run."""

JSON = dict[str, object]


def sarif(listing: Listing) -> str:
    """The SARIF document."""
    named = list(listing.fingerprints())
    parts = [named[at : at + MOST_RESULTS] for at in range(0, len(named), MOST_RESULTS)] or [[]]
    runs = [_run(listing, part, number) for number, part in enumerate(parts)]
    return visible_json(json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": runs})) + "\n"


def _run(listing: Listing, named: Sequence[tuple[Finding, str]], number: int) -> JSON:
    codes = sorted({f.code for f, _ in named})
    driver = {"name": TOOL, "version": VERSION, "semanticVersion": VERSION, "rules": _rules(codes)}
    index = {code: k for k, code in enumerate(codes)}
    results = [_result(listing, f, name, index[f.code]) for f, name in named]
    return {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "automationDetails": {"id": f"{TOOL}/{number}"},
        "results": results,
    }


def _rules(codes: Sequence[str]) -> list[JSON]:
    from ...rules.registry import all_rules  # every rule: only if this format is requested

    pages = {rule.code: rule for rule in all_rules()}
    rules: list[JSON] = []
    for code in codes:
        rule = pages.get(code)
        descriptor: JSON = {"id": code}
        if rule is not None:
            descriptor |= {"name": rule.name, "shortDescription": {"text": rule.title}, "help": {"text": rule.page.strip()}}
        rules.append(descriptor)
    return rules


def _result(listing: Listing, f: Finding, name: str, rule: int) -> JSON:
    result: JSON = {
        "ruleId": f.code,
        "ruleIndex": rule,
        "level": level(f, ("note", "warning", "error")),
        "message": {"text": "\n".join(lines_of(f))},
        "locations": [_location(listing, f)],
        "partialFingerprints": {f"{TOOL}/v1": name},
    }
    edits = [e for e in f.fix.edits if e.source == f.location.path] if f.fix else []
    if f.fix and edits and is_file(f.location):
        change = {"artifactLocation": {"uri": listing.uri(f.location)}, "replacements": [_replacement(e) for e in edits]}
        result["fixes"] = [{"description": {"text": f.fix.title}, "artifactChanges": [change]}]
    return result


def _location(listing: Listing, f: Finding) -> JSON:
    if not is_file(f.location):
        return {"logicalLocations": [{"fullyQualifiedName": f.location.path}]}
    region = {k: n for k, n in (("startLine", f.location.line), ("startColumn", f.location.column)) if n is not None}
    physical: JSON = {"artifactLocation": {"uri": listing.uri(f.location)}}
    if f.location.line is not None:
        physical["region"] = region
    logical = [{"fullyQualifiedName": f.location.detail}] if f.location.detail else []
    return {"physicalLocation": physical, **({"logicalLocations": logical} if logical else {})}


def _replacement(edit: Edit) -> JSON:
    region = {"charOffset": edit.start, "charLength": edit.end - edit.start}
    return {"deletedRegion": region, **({"insertedContent": {"text": edit.replacement}} if edit.replacement else {})}
