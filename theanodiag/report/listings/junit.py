"""JUnit's XML: a test suite a file, a failed test a finding; one test that passed where nothing was found."""

from __future__ import annotations

from collections import defaultdict
from xml.etree import ElementTree as ET

from ...escaping import visible
from ...findings import Finding
from .model import TOOL, Listing, lines_of


def show(listing: Listing) -> str:
    """The document."""
    suites = ET.Element("testsuites", name=TOOL, tests=str(max(1, len(listing.findings))), failures=str(len(listing.findings)), errors="0")
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for f in listing.findings:
        by_path[listing.path(f.location)].append(f)
    for path, found in by_path.items():
        suite = ET.SubElement(suites, "testsuite", name=visible(path), tests=str(len(found)), failures=str(len(found)), errors="0")
        for f in found:
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
