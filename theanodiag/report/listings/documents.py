"""Findings as documents that other programs read: JSON and XML."""

from __future__ import annotations

import json
from collections import defaultdict

from ...escaping import visible, visible_json
from ...findings import Finding
from .model import TOOL, Listing, level, lines_of


def json_lines(listing: Listing) -> str:
    """One JSON object per finding and line, with the keys of `findings` in `theanodiag/report/v1`."""
    from ..v1.common import builtins
    from ..v1.report import FindingV1

    return "".join(visible_json(json.dumps(builtins(FindingV1.of(f)))) + "\n" for f in listing.findings)


def junit(listing: Listing) -> str:
    """JUnit XML: a test suite for each file and a failed test for each finding; a single passed test if there are no findings."""
    from xml.etree import ElementTree as ET

    suites = ET.Element("testsuites", name=TOOL, tests=str(max(1, len(listing.findings))), failures=str(len(listing.findings)), errors="0")
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for f in listing.findings:
        by_path[listing.path(f.location)].append(f)
    for path, findings in by_path.items():
        suite = ET.SubElement(suites, "testsuite", name=visible(path), tests=str(len(findings)), failures=str(len(findings)), errors="0")
        for f in findings:
            case = ET.SubElement(suite, "testcase", name=f.code, classname=visible(path), file=visible(path))
            if f.location.line is not None:
                case.set("line", str(f.location.line))
            failure = ET.SubElement(case, "failure", message=visible(f.message), type=f.severity.name.lower())
            failure.text = "\n".join(map(visible, (f"{f.location}: {f.message}", *lines_of(f)[1:])))
    if not by_path:
        suite = ET.SubElement(suites, "testsuite", name=TOOL, tests="1", failures="0", errors="0")
        ET.SubElement(suite, "testcase", name="no findings", classname=TOOL)
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def gitlab(listing: Listing) -> str:
    """GitLab's Code Quality report: a JSON list of issues. Source: GitLab's documentation, "Code Quality report format"."""
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
    """Reviewdog's Diagnostic Format, as one JSON document. Source: reviewdog, proto/rdf/reviewdog.proto."""
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
