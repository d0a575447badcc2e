"""The JSON report keeps its contract: the keys, their types, and sums that hold."""

from __future__ import annotations

import json
from typing import Any

from theanodiag.report.model import Report

from ..schemas import checked

KINDS = {"shared", "constant", "input", "intermediate", "output", "inner", "workspace", "rounding", "fragmentation", "context"}


def load(report: Report) -> Any:
    """The rendered report, parsed again."""
    return json.loads(checked(report.to_json()))


def test_top_level_keys_are_those_of_the_contract(small: Report) -> None:
    """Programs that read the report find each part under its name."""
    wanted = {"schema", "target", "functions", "process", "findings", "recommendation", "confirmation", "skipped"}
    document = load(small)
    assert wanted <= set(document)
    assert document["schema"] == "theanodiag/report/v1"


def test_target_names_model_framework_and_device(small: Report) -> None:
    """What was looked at can be told from the report alone."""
    target = load(small)["target"]
    assert target["framework"]["version"] == "1.0.5"
    assert target["device"] == {
        "name": "example",
        "total_bytes": 100_000_000,
        "free_bytes": None,
        "context": {"bytes": 0, "origin": "derived"},
    }


def test_buffers_at_the_peak_add_up_to_the_peak(small: Report) -> None:
    """W is 100 x 100, x and the product 10 x 100 of float32: 40000 + 2 x 4000, each rounded up to 64 bytes."""
    profile = load(small)["functions"][0]["profile"]
    assert sum(v["nbytes"] for v in profile["at_peak"]) == profile["live_peak_bytes"] == 40000 + 2 * 4032
    assert {v["kind"] for v in profile["at_peak"]} <= KINDS


def test_items_add_up_to_what_is_reserved(small: Report) -> None:
    """Every byte taken from the driver is in exactly one item."""
    profile = load(small)["functions"][0]["profile"]
    assert sum(i["bytes"] for i in profile["items"] if i["kind"] != "context") == profile["reserved_bytes"]


def test_timeline_never_exceeds_the_peak(small: Report) -> None:
    """The highest step of the timeline is the peak."""
    profile = load(small)["functions"][0]["profile"]
    assert max(s["live_bytes"] for s in profile["timeline"]) == profile["live_peak_bytes"]


def test_findings_carry_code_and_place(too_large: Report) -> None:
    """What does not fit is a TD301 with the script as its place."""
    document = load(too_large)
    assert "TD301" in [f["code"] for f in document["findings"]]
    assert document["functions"][0]["fits"] is False
    assert document["findings"][0]["location"]["path"] == "model.py"


def test_unknown_dimensions_are_null(unknown: Report) -> None:
    """An unknown dimension is never a number."""
    document = load(unknown)
    assert document["functions"][0]["calls"][0]["inputs"][0]["shape"] == [None, 100]
    assert document["functions"][0]["profile"]["unknown"]
    assert document["functions"][0]["fits"] is None
    assert document["skipped"] == [{"what": "op Foo", "reason": "no rule"}]


def test_report_without_functions_is_whole(raised: Report) -> None:
    """A script that raised at once still gives a document."""
    document = load(raised)
    assert document["functions"] == []
    assert document["script"]["message"] == "ValueError: bad data"
