"""The listings of findings: each is read back by a parser of its format, whatever stands in names and messages."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.findings import Confidence, Edit, Finding, Fix, Location, Severity
from theanodiag.report.listings import FORMATS, render
from theanodiag.report.listings.documents import MOST_RESULTS
from theanodiag.report.model import STDIN

NASTY = "W\x1b[31m\r\n::error::x\u202e%0A,:;]<&\"'"
PLACES = (
    Location("/home/me/job/model.py", 7, 3, "train"),
    Location("/etc/theanorc", 2, 1),
    Location("THEANO_FLAGS", 1, 14),
    Location(STDIN, None, None, NASTY),
)
LINES = {"concise", "json-lines", "github", "azure", "pylint"}


def finding(location: Location = PLACES[0], message: str = "needs 400 bytes", severity: Severity = Severity.WARNING) -> Finding:
    """A finding with advice and an edit."""
    fix = Fix("take less", code="x = 1", edits=(Edit(location.path, 4, 6, "ok"),))
    return Finding("TD301", severity, Confidence.DERIVED, message, location, fix, notes=("a note",))


FINDINGS = tuple(finding(place, message, s) for place in PLACES for message, s in zip(("needs 400 bytes", NASTY, "?"), Severity))


def shown(name: str, findings: tuple[Finding, ...] = FINDINGS) -> str:
    """As seen from /home/me/job."""
    return render(name, findings, "/home/me/job")


@pytest.mark.parametrize("name", sorted(LINES))
def test_a_line_a_finding(name: str) -> None:
    """No name or message makes a line of its own, nor reaches a terminal as it is."""
    lines = shown(name).splitlines()
    assert len(lines) == len(FINDINGS)
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_nothing_found(name: str) -> None:
    """Is an empty listing, or an empty document of its kind."""
    text = shown(name, ())
    if name in ("gitlab", "rdjson", "sarif"):
        assert json.loads(text) is not None
    elif name == "junit":
        assert ET.fromstring(text).get("failures") == "0"
    else:
        assert text == ""


@pytest.mark.parametrize("name", sorted(FORMATS))
@given(message=st.text(), path=st.text(min_size=1))
def test_any_text(name: str, message: str, path: str) -> None:
    """Formats with a parser are parsed; the others have no character that moves a cursor."""
    text = shown(name, (finding(Location(path, 1, 1), message),))
    if name in ("gitlab", "rdjson", "sarif"):
        json.loads(text)
    elif name == "junit":
        ET.fromstring(text.encode("utf-8", "backslashreplace"))
    else:
        assert all(c.isprintable() or c == "\n" for c in text)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_the_command_of_an_advice_is_said(name: str) -> None:
    """Whatever the format: advice without its command is none."""
    command = "export OMP_NUM_THREADS=4"
    advised = Finding("TD301", Severity.WARNING, Confidence.DERIVED, "slow", PLACES[0], Fix("set the variable", code=command))
    assert command in shown(name, (advised,))


def test_of_several_lines_of_code_the_first_place_to_look_is_said() -> None:
    """In formats of one line a finding; the others have them all."""
    advised = Finding("TD301", Severity.WARNING, Confidence.DERIVED, "slow", PLACES[0], Fix("change it", code="x = 1\ny = 2"))
    for name in FORMATS:
        text = shown(name, (advised,))
        assert "(2 lines: --format full)" in text or ("x = 1" in text and "y = 2" in text), name


def test_paths_below_the_folder_are_seen_from_there() -> None:
    """Others stay as they are; a variable is no file."""
    places = [issue["location"]["path"] for issue in json.loads(shown("gitlab"))]
    assert list(dict.fromkeys(places)) == ["model.py", "/etc/theanorc", "THEANO_FLAGS", STDIN]


def test_fingerprints_stay_when_lines_move_and_sizes_change() -> None:
    """And differ between findings of one run."""

    def names(*findings: Finding) -> list[str]:
        return [issue["fingerprint"] for issue in json.loads(shown("gitlab", findings))]

    here, later = finding(), finding(Location("/home/me/job/model.py", 99, 3, "train"), "needs 512 bytes")
    assert names(here) == names(later)
    assert len(set(names(here, later))) == 2
    assert names(here) != names(finding(PLACES[1]))


def test_github_escapes() -> None:
    """What would end a command or a property."""
    line = next(line for line in shown("github").splitlines() if "%250A" in line)
    assert re.match(r"::warning title=theanodiag \(TD301\),file=model\.py,line=7,col=3::", line)
    assert "%0D%0A" in line
    assert shown("github", (finding(Location("/home/me/job/a,b:c.py", 1, 1)),)).startswith(
        "::warning title=theanodiag (TD301),file=a%2Cb%3Ac.py,line=1,col=1::"
    )


def test_junit() -> None:
    """A suite a file, a failure a finding."""
    root = ET.fromstring(shown("junit"))
    assert [s.get("name") for s in root] == ["model.py", "/etc/theanorc", "THEANO_FLAGS", STDIN]
    assert sum(1 for _ in root.iter("failure")) == int(root.get("failures", "0")) == len(FINDINGS)


def test_only_tests_that_fail_the_command_fail_in_junit() -> None:
    """Others keep their text."""
    findings = tuple(Finding("TD301", severity, Confidence.DERIVED, f"said of {severity.name}", PLACES[0]) for severity in Severity)
    root = ET.fromstring(render("junit", findings, "/home/me/job", "error"))
    assert [(s.get("tests"), s.get("failures")) for s in (root, *root)] == [("3", "1"), ("3", "1")]
    assert [case[0].tag for case in root.iter("testcase")] == ["system-out", "system-out", "failure"]
    assert all("said of" in str(case[0].text) for case in root.iter("testcase"))


def sarif(findings: tuple[Finding, ...] = FINDINGS) -> Any:
    """The document."""
    return json.loads(shown("sarif", findings))


def test_sarif() -> None:
    """Rules with their pages, relative URIs, levels, fixes; a variable has a logical place alone."""
    (run,) = sarif()["runs"]
    (rule,) = run["tool"]["driver"]["rules"]
    assert (rule["id"], rule["name"]) == ("TD301", "does-not-fit")
    assert rule["help"]["text"].startswith("TD301: ")
    first, other, variable = run["results"][0], run["results"][3], run["results"][6]
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "model.py"}, "region": {"startLine": 7, "startColumn": 3},
    }  # fmt: skip
    assert other["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///etc/theanorc"
    assert variable["locations"] == [{"logicalLocations": [{"fullyQualifiedName": "THEANO_FLAGS"}]}]
    assert {r["level"] for r in run["results"]} == {"note", "warning", "error"}
    (change,) = first["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [{"deletedRegion": {"charOffset": 4, "charLength": 2}, "insertedContent": {"text": "ok"}}]
    assert len({r["partialFingerprints"]["theanodiag/v1"] for r in run["results"]}) == len(FINDINGS)


def test_sarif_splits_what_one_run_may_not_hold() -> None:
    """25 000 results a run."""
    runs = sarif((finding(),) * (MOST_RESULTS + 1))["runs"]
    assert [len(r["results"]) for r in runs] == [MOST_RESULTS, 1]
    assert len({r["automationDetails"]["id"] for r in runs}) == 2
