"""What `config check` prints of its findings: their order, the carets, the count at the end, and the same as data."""

from __future__ import annotations

import json

import pytest

from theanodiag.cli.config_check import CheckedConfig, document, text
from theanodiag.flags.diagnose import ConfigSubject, MachineFacts
from theanodiag.flags.model import Dialect
from theanodiag.report.v1.common import builtins
from theanodiag.report.v1.config import ConfigFindingV1
from theanodiag.rules.config import findings
from theanodiag.rules.config.examples import RC, config

from ..schemas import checked


def printed(subject: ConfigSubject) -> list[str]:
    """The lines about all findings."""
    return text(CheckedConfig((subject,), ()), findings(subject)).splitlines()


CARETS = [
    pytest.param(config("[global]\ndevice = gpu0\n"), ["    device = gpu0", "    ^"], id="the edit is elsewhere: one sign"),
    pytest.param(config("[global]\nflaotX = float32\n"), ["    flaotX = float32", "    ^^^^^^"], id="the edit is the name: all of it"),
    pytest.param(config("[global]\n\t// x\n"), ["    \t// x", "    \t^^^^"], id="a tab stays a tab"),
    pytest.param(
        config(flags="device=cpu,floatX= float32"),
        ["    device=cpu,floatX= float32", "               ^^^^^^^^^^^^^^^"],
        id="in the variable",
    ),
    pytest.param(config("# f\udcfcr\n[global]\n"), ["    # f\\xfcr", "       ^^^^"], id="a byte that is no letter"),
    pytest.param(config("[global]\r\n// x\r\n"), ["    // x", "    ^^^^"], id="ends of line of Windows"),
]


@pytest.mark.parametrize(("subject", "lines"), CARETS)
def test_caret_below_the_place(subject: ConfigSubject, lines: list[str]) -> None:
    """The line as it stands, and signs under what is meant."""
    shown = text(CheckedConfig((subject,), ()), findings(subject)).splitlines()
    at = shown.index(lines[0])
    assert shown[at : at + 2] == lines


def test_finding_without_a_place_has_no_caret() -> None:
    """A variable that is not set has no line."""
    subject = config(context=MachineFacts(numpy=(1, 24)))
    head, advice, empty, count = printed(subject)
    assert head.startswith("Theano 1.0.5: TD264 warning: ")
    assert (advice, empty) == ("    help: set blas.ldflags", "")
    assert count == "Theano 1.0.5: 1 warning"


@pytest.mark.parametrize(
    ("subject", "count"),
    [
        (config(flags="floatX=float32"), "Theano 1.0.5: nothing found"),
        (config(flags="profile"), "Theano 1.0.5: 1 warning"),
        (config(flags="profile,openmp"), "Theano 1.0.5: 2 warnings"),
        (config("[global]\ndevice = gpu\nprofile = True\n", flags="profile=1,openmp"), "Theano 1.0.5: 1 error, 2 warnings, 2 infos"),
    ],
    ids=["none", "one", "two", "worst first"],
)
def test_last_line_counts(subject: ConfigSubject, count: str) -> None:
    """By severity, those that there are."""
    assert printed(subject)[-1] == count


def test_findings_are_in_the_order_of_the_text() -> None:
    """By file, line and column, whatever their codes."""
    subject = config("[global]\nallow_gc = False\nflaotX = float32\n[nvcc]\nfastmath = True\n", flags="profile,mode=FAST_COMPILE")
    places = [str(f.location).replace(RC, "rc") for f in findings(subject)]
    assert places == ["rc:2:1", "rc:3:1", "rc:5:1", "THEANO_FLAGS:1:1", "THEANO_FLAGS:1:9"]


class TestData:
    """The same for programs."""

    def test_finding_with_an_edit(self) -> None:
        """The edit counts characters from the beginning of the file."""
        (found,) = findings(config("[global]\ndevice = gpu0\nfloatX = float32\n"))
        data = builtins(ConfigFindingV1.of(found))
        assert (data["code"], data["severity"], data["confidence"]) == ("TD231", "error", "derived")
        assert data["location"] == {"path": RC, "line": 2, "column": 1, "detail": None}
        edit = {"source": RC, "start": 18, "end": 22, "replacement": "cuda0"}
        assert data["fix"] == {"title": "write cuda0", "disposition": "safe", "code": "device=cuda0", "edits": [edit]}

    @pytest.mark.parametrize(
        ("subject", "failure"),
        [(config(flags="floatX=float8"), True), (config(flags="floatX=float32"), False)],
        ids=["refused", "taken"],
    )
    def test_document(self, subject: ConfigSubject, failure: bool) -> None:
        """The library, the failure and the findings; every JSON parser reads it."""
        data = json.loads(checked(json.dumps(builtins(document(CheckedConfig((subject,), ()), findings(subject))), allow_nan=False)))
        assert (data["schema"], data["dialect"], data["version"]) == ("theanodiag/config-check/v1", "theano", "1.0.5")
        assert bool(data["failure"]) is failure
        assert bool(data["findings"]) is failure

    @pytest.mark.parametrize("dialect", list(Dialect), ids=lambda d: d.name)
    def test_undecodable_bytes_come_back(self, dialect: Dialect) -> None:
        """JSON's own escapes hold what was in the file."""
        subject = config("[global]\nbananas\udce9 = 1\n", to=dialect)
        found = json.loads(json.dumps(builtins(document(CheckedConfig((subject,), ()), findings(subject)))).encode("ascii"))
        assert any("bananas\udce9" in f["message"] for f in found["findings"])
