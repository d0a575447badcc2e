"""Every part of the JSON report, with and without what may be missing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from theanodiag.capture.model import Capture, DeviceSeen, FrameworkInfo, ScriptEnd, StandIn
from theanodiag.devices import HOST, DeviceProfile
from theanodiag.findings import Confidence, Disposition, Figures, Finding, Fix, Location, Severity
from theanodiag.ir import Site, Unknown
from theanodiag.memory.script import Script
from theanodiag.report.model import Report
from theanodiag.rules.examples import device, dot_script
from theanodiag.workflows import compose

from ..schemas import checked

FINISHED = ScriptEnd("finished", 0)
THEANO = FrameworkInfo("theano", "1.0.5", "/lib/theano")
LARGE = device(1_000_000_000)
AT = Location("model.py", 3, 7, "train")


def made(script: Script | None = None, on: DeviceProfile = LARGE, framework: FrameworkInfo | None = THEANO) -> Report:
    """The report on a script, by default one that fits."""
    return compose.report(Capture("model.py", "python3", "3.8.18", script or dot_script(10, 100), FINISHED, framework), on)


def parsed(of: Report) -> Any:
    """What a program reads."""
    return json.loads(checked(of.to_json()))


def test_the_document_ends_with_a_line() -> None:
    """Files and pipes end well."""
    assert made().to_json().endswith("}\n")


def test_the_same_report_gives_the_same_text() -> None:
    """Reports can be compared letter by letter."""
    assert made().to_json() == made().to_json()


class TestTarget:
    """`target`."""

    def test_no_framework_is_null(self) -> None:
        """A script that imported none."""
        assert parsed(made(framework=None))["target"]["framework"] is None

    def test_a_stand_in_is_told_with_the_flags_that_it_replaced(self) -> None:
        """With what the user had set, null where nothing."""
        stand_in = StandIn({"device": "cpu", "gpuarray.preallocate": None}, 7605)
        framework = replace(THEANO, stand_in=stand_in, alias_of="theano")
        found = parsed(made(framework=framework))["target"]["framework"]
        assert found["stand_in"] == {"replaced_flags": {"device": "cpu", "gpuarray.preallocate": None}, "cudnn": 7605}
        assert found["alias_of"] == "theano"

    def test_host_memory_has_no_size(self) -> None:
        """Nor is anything said to fit."""
        document = parsed(made(on=HOST))
        assert document["target"]["device"]["total_bytes"] is None
        assert (document["process"]["fits"], document["functions"][0]["fits"]) == (None, None)

    def test_an_opened_device_is_measured(self) -> None:
        """What was not free when its context was open is its context."""
        seen = replace(THEANO, device=DeviceSeen("K80", 1_000_000, 900_000))
        capture = Capture("model.py", "python3", "3.8.18", dot_script(10, 100), FINISHED, seen)
        found = parsed(compose.report(capture))["target"]["device"]
        assert (found["name"], found["context"]) == ("K80", {"bytes": 100_000, "origin": "measured"})


class TestFunctions:
    """`functions`."""

    def test_one_that_was_never_called(self) -> None:
        """No profile, no order, no calls: nothing is made up."""
        found = parsed(made(dot_script(10, 100, called=False)))["functions"][0]
        assert (found["profile"], found["order"], found["calls"], found["fits"]) == (None, [], [], None)

    def test_nodes_and_order(self) -> None:
        """The order has as many entries as there are nodes here."""
        found = parsed(made())["functions"][0]
        assert (found["nodes"], found["order"]) == (3, [0, 1, 2])

    def test_each_step_of_the_timeline_names_its_op(self) -> None:
        """The first and the last one belong to no node."""
        steps = parsed(made())["functions"][0]["profile"]["timeline"]
        assert [s["op"] for s in steps] == [None, "GpuFromHost<None>", "GpuDot22", "HostFromGpu(gpuarray)", None]

    def test_a_call_has_its_place(self) -> None:
        """As path and line in one text."""
        of = made()
        calls = tuple(replace(c, site=Site("m.py", 9), assumed=True) for c in of.functions[0].calls)
        found = parsed(replace(of, functions=(replace(of.functions[0], calls=calls),)))["functions"][0]["calls"]
        assert [(c["site"], c["assumed"]) for c in found] == [("m.py:9", True)]

    def test_a_buffer_has_its_place(self) -> None:
        """Where its source line is known."""
        of = made()
        profile = of.functions[0].profile
        assert profile is not None
        placed = replace(profile, at_peak=(profile.at_peak[0]._replace(site=Site("m.py", 2)), *profile.at_peak[1:]))
        found = parsed(replace(of, functions=(replace(of.functions[0], profile=placed),)))["functions"][0]["profile"]["at_peak"]
        assert [v["site"] for v in found] == ["m.py:2", None, None]

    def test_a_shape_of_which_nothing_is_known_is_null(self) -> None:
        """Not even its number of dimensions."""
        of = made()
        call = of.functions[0].calls[0]
        unknown = replace(call, inputs=(replace(call.inputs[0], shape=Unknown("why")),))
        found = parsed(replace(of, functions=(replace(of.functions[0], calls=(unknown,)),)))
        assert found["functions"][0]["calls"][0]["inputs"] == [{"name": "x", "dtype": "float32", "shape": None}]

    def test_unknown_sizes_have_their_reasons(self) -> None:
        """And neither function nor process is said to fit."""
        document = parsed(made(dot_script(Unknown("data"), 100)))
        assert {u["reason"] for u in document["functions"][0]["profile"]["unknown"]} == {"data"}
        assert document["process"]["fits"] is None


def with_finding(finding: Finding) -> Any:
    """The one finding of a report as a program reads it."""
    (found,) = parsed(replace(made(), findings=(finding,)))["findings"]
    return found


class TestFindings:
    """`findings`."""

    @pytest.mark.parametrize("severity", Severity)
    @pytest.mark.parametrize("confidence", Confidence)
    def test_severity_and_confidence_are_words(self, severity: Severity, confidence: Confidence) -> None:
        """In small letters."""
        found = with_finding(Finding("TD999", severity, confidence, "m", AT))
        assert (found["severity"].upper(), found["confidence"].upper()) == (severity.name, confidence.name)

    def test_the_place_has_all_its_parts(self) -> None:
        """Path, line, column, and what there is."""
        found = with_finding(Finding("TD999", Severity.INFO, Confidence.DERIVED, "m", AT))
        assert found["location"] == {"path": "model.py", "line": 3, "column": 7, "detail": "train"}

    def test_without_advice(self) -> None:
        """Fix and figures are null."""
        found = with_finding(Finding("TD999", Severity.INFO, Confidence.DERIVED, "m", AT))
        assert (found["fix"], found["after"]) == (None, None)

    def test_advice_has_the_figures_after_it(self) -> None:
        """The fix can be pasted, the figures compared."""
        fix = Fix("do", Disposition.SAFE, "x = 1")
        found = with_finding(Finding("TD999", Severity.INFO, Confidence.DERIVED, "m", AT, fix, Figures(1, 2, 3, 4)))
        assert found["fix"] == {"title": "do", "disposition": "safe", "code": "x = 1"}
        assert list(found["after"].values()) == [1, 2, 3, 4]


class TestRecommendation:
    """`recommendation`."""

    def test_none_where_the_cache_never_grows(self) -> None:
        """All its figures are null."""
        assert set(parsed(made())["recommendation"].values()) == {None}

    def test_value_and_bytes_agree(self) -> None:
        """The flag's MB are of 1048576 bytes."""
        found = parsed(made(dot_script(1000, 8000)))["recommendation"]
        assert found["gpuarray.preallocate"] * (1 << 20) == found["gpuarray.preallocate_bytes"]
        assert found["reserved_bytes_with"] >= found["gpuarray.preallocate_bytes"]


class TestConfirmation:
    """`confirmation`."""

    def test_none_without_a_run(self) -> None:
        """Nothing was measured."""
        assert parsed(made())["confirmation"] is None


def test_what_does_not_fit_names_the_failure() -> None:
    """The first request that could not be served."""
    found = parsed(made(dot_script(100, 2000), device(8_000_000)))["process"]
    assert found["fits"] is False
    assert found["failure"].startswith("a request of ")
