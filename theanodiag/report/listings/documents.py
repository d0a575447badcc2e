"""Findings as lines of text for people and editors, and as documents that other programs read: JSON, XML, and SARIF 2.1.0, the format of
code scanning, in which rules have their pages, and results stable fingerprints and applicable fixes.

Limits of GitHub's code scanning: 25 000 results a run, so more findings make more runs. Source: OASIS SARIF 2.1.0; GitHub's "SARIF support
for code scanning".
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ...escaping import visible, visible_json
from ...findings import Edit, Finding
from ...version import VERSION
from .model import TOOL, Listing, is_file, level, line_of, lines_of


def concise(listing: Listing) -> str:
    """Returns one line per finding: `path:line:col: CODE message`."""
    return "".join(visible(f"{f.location}: {f.code} {line_of(f)}") + "\n" for f in listing.findings)


def pylint(listing: Listing) -> str:
    """Returns the findings as `path:line: [CODE] message`, one a line, as Pylint prints with --output-format=parseable."""
    return "".join(visible(f"{listing.path(f.location)}:{f.location.line or 1}: [{f.code}] {line_of(f)}") + "\n" for f in listing.findings)


def full(listing: Listing) -> str:
    """Returns one block of lines for each finding: place and message, notes, fix, and code to paste."""
    return "\n".join("".join(f"{line}\n" for line in _block(f)) for f in listing.findings)


def _block(f: Finding) -> Iterator[str]:
    yield visible(f"{f.location}: {f.kind}: {f.message}")
    yield from (visible(f"    {note}") for note in f.notes)
    if f.fix:
        yield visible(f"    help: {f.fix.title}")
        yield from (visible(f"        {line}") for line in (f.fix.code or "").splitlines())


def grouped(listing: Listing) -> str:
    """Returns the findings grouped by file: a heading for each file and a line for each finding."""
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for f in listing.findings:
        by_path[f.location.path].append(f)
    blocks = [[visible(path), *(visible(f"  {_place(f)} {f.code} {line_of(f)}") for f in findings)] for path, findings in by_path.items()]
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks)


def _place(f: Finding) -> str:
    return ":".join(str(n) for n in (f.location.line, f.location.column) if n is not None) or "-"


def azure(listing: Listing) -> str:
    """Returns the findings as logging commands of Azure Pipelines; findings of severity info become warnings there.

    Source: Microsoft's "Logging commands": `;`, CR, LF, `]` and `%` escaped.
    """
    lines = []
    for f in listing.findings:
        places = {"sourcepath": listing.path(f.location), "linenumber": f.location.line, "columnnumber": f.location.column}
        named = {"type": level(f, ("warning", "warning", "error")), **(places if is_file(f.location) else {}), "code": f.code}
        properties = "".join(f"{k}={_azure_property(str(v))};" for k, v in named.items() if v is not None)
        lines.append(f"##vso[task.logissue {properties}]{_azure_message(f'{f.location}: {line_of(f)}')}\n")
    return "".join(lines)


def _azure_message(text: str) -> str:
    return visible(text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A"))


def _azure_property(text: str) -> str:
    return _azure_message(text).replace(";", "%3B").replace("]", "%5D")


def github(listing: Listing) -> str:
    """Returns the findings as workflow commands of GitHub Actions, which shows them as annotations.

    Source: GitHub's workflow commands: `%`, CR and LF are escaped, in properties `:` and `,` too.
    """
    lines = []
    for f in listing.findings:
        place = {"line": f.location.line, "col": f.location.column} if is_file(f.location) else {}
        named = {"title": f"{TOOL} ({f.code})", **({"file": listing.path(f.location)} if is_file(f.location) else {}), **place}
        properties = ",".join(f"{k}={_github_property(str(v))}" for k, v in named.items() if v is not None)
        message = "\n".join((f"{f.location}: {f.code} {f.message}", *lines_of(f)[1:]))
        lines.append(f"::{level(f, ('notice', 'warning', 'error'))} {properties}::{_github_message(message)}\n")
    return "".join(lines)


def _github_message(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _github_property(text: str) -> str:
    return _github_message(text).replace(":", "%3A").replace(",", "%2C")


SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RESULTS = 25_000
"""Maximum number of results in one run."""

JSON = dict[str, object]


def sarif(listing: Listing) -> str:
    """Returns the findings as a SARIF 2.1.0 log, in JSON."""
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


def json_lines(listing: Listing) -> str:
    """Returns one JSON object per finding and line, with the keys of `findings` in `theanodiag/report/v1`."""
    from ..v1.common import builtins
    from ..v1.report import FindingV1

    return "".join(visible_json(json.dumps(builtins(FindingV1.of(f)))) + "\n" for f in listing.findings)


def junit(listing: Listing) -> str:
    """Returns the findings as JUnit XML: a test suite for each file and a test for each finding, which fails if the finding makes the
    command fail; a single passed test if there are no findings.
    """
    from xml.etree import ElementTree as ET

    def counts(findings: Sequence[Finding]) -> dict[str, str]:
        failures = sum(f.severity >= listing.fail_on for f in findings)
        return {"tests": str(max(1, len(findings))), "failures": str(failures), "errors": "0"}

    suites = ET.Element("testsuites", {"name": TOOL, **counts(listing.findings)})
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for f in listing.findings:
        by_path[listing.path(f.location)].append(f)
    for path, findings in by_path.items():
        suite = ET.SubElement(suites, "testsuite", {"name": visible(path), **counts(findings)})
        for f in findings:
            case = ET.SubElement(suite, "testcase", name=f.code, classname=visible(path), file=visible(path))
            if f.location.line is not None:
                case.set("line", str(f.location.line))
            if f.severity >= listing.fail_on:
                text = ET.SubElement(case, "failure", message=visible(f.message), type=f.severity.name.lower())
            else:
                text = ET.SubElement(case, "system-out")
            text.text = "\n".join(map(visible, (f"{f.location}: {f.message}", *lines_of(f)[1:])))
    if not by_path:
        suite = ET.SubElement(suites, "testsuite", {"name": TOOL, **counts(())})
        ET.SubElement(suite, "testcase", name="no findings", classname=TOOL)
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def gitlab(listing: Listing) -> str:
    """Returns the findings as a Code Quality report of GitLab: a JSON list. Source: GitLab's documentation, "Code Quality report
    format".
    """
    issues = [
        {
            "description": f"{f.code}: {f.message}",
            "content": {"body": "\n".join(lines_of(f))},
            "check_name": f.code,
            "fingerprint": name,
            "severity": level(f, ("info", "minor", "major")),
            "location": {"path": listing.path(f.location), "lines": {"begin": f.location.line or 1}},
        }
        for f, name in listing.fingerprints()
    ]
    return visible_json(json.dumps(issues, indent=2)) + "\n"


def rdjson(listing: Listing) -> str:
    """Returns the findings in Reviewdog's Diagnostic Format, as one JSON document. Source: reviewdog, proto/rdf/reviewdog.proto."""
    diagnostics = [_diagnostic(listing, f) for f in listing.findings]
    return visible_json(json.dumps({"source": {"name": TOOL}, "severity": "WARNING", "diagnostics": diagnostics})) + "\n"


def _diagnostic(listing: Listing, f: Finding) -> dict[str, object]:
    start = {k: n for k, n in (("line", f.location.line), ("column", f.location.column)) if n is not None}
    where: dict[str, object] = {"path": listing.path(f.location), **({"range": {"start": start}} if start else {})}
    return {
        "message": "\n".join(lines_of(f)),
        "location": where,
        "severity": level(f, ("INFO", "WARNING", "ERROR")),
        "code": {"value": f.code},
    }
